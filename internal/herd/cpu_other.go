//go:build !linux

package herd

import "time"

// threadTime is the CPU time of the calling thread, 0 if it is not known.
func threadTime() time.Duration { return 0 }
