// Package operator runs an operator in a test, one pass at a time.
//
// An [Operator] is a process of an operator: its controllers are set up with a
// manager as they are in production, by the same function, and are controller-runtime's
// own, with their watches, handlers and predicates. What is made for tests is what
// lies around them: a cache that shows of each kind what the test lets it show, a
// queue that lets one pass begin when the test says so, and a process that can be
// ended at any request.
//
// Nothing happens between the calls of a test. The same calls give the same passes,
// requests and results.
package operator
