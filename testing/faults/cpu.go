package faults

import (
	"syscall"
	"time"
)

// cpu returns how much time of the processors this process has used.
func cpu() time.Duration {
	usage := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
