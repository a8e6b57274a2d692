// Package fieldcases has faults that people who run operators have reported in
// public, each as a test: TestFieldCases has a subtest for each, by its id.
//
// Every case takes place on a real API server, with the real garbage collector
// and namespace controller. The controllers of Deployments and the like are
// played by the test, because what a case counts must not depend on how many
// steps a rollout happens to take; for the same reason the operator makes its
// passes when it is told to, and has a clock of its own.
//
// A case is run twice. First with a reconciler that is written by hand and has
// the usual faults, which has to fail it in the way that was reported: that tells
// that the case can fail. Then with an operator that is made with the library,
// which has to pass it. What the cases call a reason is a word of the library's
// own, by one table in internal/world.
package fieldcases
