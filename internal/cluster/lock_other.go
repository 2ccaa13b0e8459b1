//go:build !unix

package cluster

import "os"

// lockFile opens a file. Here nothing keeps other processes from it.
func lockFile(name string) (*os.File, error) { return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644) }
