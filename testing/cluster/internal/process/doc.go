// Package process runs the programs of a cluster so that none of them outlives
// the program that started it, however that one ends.
//
// A [Watchdog] is a small shell that knows the process groups and the
// directory of one cluster, and holds the reading end of a pipe. When the
// program that started it is gone, for whatever reason, the pipe is at its
// end, and the watchdog stops the groups, the newest first, and removes the
// directory. A [Process] is started through it and cannot run a single
// instruction of its own before the watchdog has been told about it.
//
// Only Unix-like systems are supported.
package process
