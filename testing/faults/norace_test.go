//go:build !race

package faults_test

// raced says that the race detector is on.
const raced = false

// bugSample is how many schedules are run over each of the bugs: all that there are.
const bugSample = 0
