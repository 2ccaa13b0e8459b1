package states

import (
	"os"
	"syscall"
)

// allocate makes f n bytes long, with room on the disk for them: without it, a write to the mapping would kill the process.
func allocate(f *os.File, n int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, n) }
