package herd

import (
	"syscall"
	"time"
)

// threadTime is the CPU time of the calling thread, 0 if it is not known.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
