// Package lives holds what a MyApp is led through when the operator is put to the test,
// in memory and on a real API server: what users and others do, and what has to hold
// meanwhile.
package lives
