//go:build unix

package limits

import (
	"math"
	"runtime"
	"syscall"
	"time"
)

// room returns how much more memory the resource limits of this process allow, 0 if there are none. They count what is mapped, of which Go reserves much that
// it never uses.
func room() (least int64) {
	size, data := mapped()
	for resource, used := range map[int]int64{syscall.RLIMIT_AS: size, syscall.RLIMIT_DATA: data} {
		var l syscall.Rlimit
		if syscall.Getrlimit(resource, &l) != nil || l.Cur > math.MaxInt64 {
			continue
		}
		if n := max(int64(l.Cur)-used, 1); least == 0 || n < least {
			least = n
		}
	}
	return least
}

// PeakMemory returns the largest resident size of this process so far, in bytes; 0 if it is not known.
func PeakMemory() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss * 1024
}

// CPUTime returns the CPU time that this process has used, 0 if it is not known.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
