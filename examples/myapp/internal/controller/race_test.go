//go:build race

package controller_test

// raced says that the race detector is on.
const raced = true
