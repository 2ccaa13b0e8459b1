// Package limits knows how much memory this process may use and uses, and ends the process in order after a panic.
package limits

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A Limit is an amount of memory and who set it.
type Limit struct {
	Bytes int64
	Of    string // "the machine", "the control group", "ulimit"
}

// Memory returns the least of what the machine, the control groups and the resource limits allow this process to use. Bytes is 0 if none is known.
func Memory() Limit {
	var least Limit
	lower := func(bytes int64, of string) {
		if bytes > 0 && (least.Bytes == 0 || bytes < least.Bytes) {
			least = Limit{bytes, of}
		}
	}
	lower(available("/proc/meminfo"), "the machine")
	lower(controlGroup("/proc/self/cgroup", "/sys/fs/cgroup"), "the control group")
	lower(room(), "ulimit")
	return least
}

// Default returns how much memory a run may take by default: less than the limit, because a table that grows needs its old place and the new one at once.
func Default() Limit {
	l := Memory()
	l.Bytes = l.Bytes / 10 * 7
	return l
}

// mapped returns the size of the address space of this process, and of that the data and stacks.
func mapped() (size, data int64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	f := strings.Fields(string(text))
	if len(f) < 6 {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	s, _ := strconv.ParseInt(f[0], 10, 64)
	d, _ := strconv.ParseInt(f[5], 10, 64)
	return s * page, d * page
}

// available returns the memory that the machine has for programs, 0 if it is not known.
func available(meminfo string) int64 {
	text, err := os.ReadFile(meminfo)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}

// controlGroup returns the least limit of the control groups that file lists, of version 1 or 2, and of those that these are in; 0 if there is none.
func controlGroup(file, root string) (least int64) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(parts) != 3 {
			continue
		}
		dir, name := root, "memory.max"
		if parts[0] != "0" {
			if parts[1] != "memory" {
				continue
			}
			dir, name = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		}
		for path := filepath.Clean("/" + parts[2]); ; path = filepath.Dir(path) {
			if text, err := os.ReadFile(filepath.Join(dir, path, name)); err == nil {
				n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // or "max"
				if err == nil && n > 0 && n < 1<<60 && (least == 0 || n < least) {
					least = n
				}
			}
			if path == "/" {
				break
			}
		}
	}
	return least
}

// InUse returns how much memory the heap and the stacks take, garbage included.
func InUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// Exceeded reports whether this process uses more than limit even when its garbage is collected, or has no room left to grow: a table that grows
// may be as large as all the others.
func Exceeded(limit int64) bool {
	if left := room(); left > 0 && InUse() > left {
		return true
	}
	if InUse() <= limit {
		return false
	}
	runtime.GC()
	return InUse() > limit
}
