//go:build !race

package faults_test

// raced says that the race detector is on.
const raced = false
