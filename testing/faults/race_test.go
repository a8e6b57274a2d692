//go:build race

package faults_test

// raced says that the race detector is on.
const raced = true

// bugSample is how many schedules are run over each of the bugs. With the race detector
// each takes seven times as long, so that it is a sample in which all of them show.
const bugSample = 60
