//go:build !unix

package limits

import "time"

// room is not known here.
func room() int64 { return 0 }

// PeakMemory returns the largest resident size of this process so far, in bytes; 0 if it is not known.
func PeakMemory() int64 { return 0 }

// CPUTime returns the CPU time that this process has used, 0 if it is not known.
func CPUTime() time.Duration { return 0 }
