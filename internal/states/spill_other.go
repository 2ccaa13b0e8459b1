//go:build !linux

package states

import "os"

// allocate makes f n bytes long.
func allocate(f *os.File, n int64) error { return f.Truncate(n) }
