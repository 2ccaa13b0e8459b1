//go:build unix && !linux

package serve

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
