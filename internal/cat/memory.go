package cat

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Folders of models that are in memory only begin with this. No file system has such names where ravel runs.
const memoryPrefix = "<memory "

var (
	memory    sync.Map // path → text
	memoryNum atomic.Int64
)

// Memory makes models available that are in memory only, and returns the folder that they seem to be in, until free is called. They include
// each other and the embedded library, and nothing on the disk.
func Memory(files map[string]string) (dir string, free func()) {
	dir = fmt.Sprintf("%s%d>", memoryPrefix, memoryNum.Add(1))
	for name, text := range files {
		memory.Store(filepath.Join(dir, name), text)
	}
	return dir, func() {
		for name := range files {
			memory.Delete(filepath.Join(dir, name))
		}
	}
}

// InMemory reports whether a path is that of a file or folder in memory.
func InMemory(path string) bool { return strings.HasPrefix(path, memoryPrefix) }

func readFile(name string) ([]byte, error) {
	if !InMemory(name) {
		return os.ReadFile(name)
	}
	if text, ok := memory.Load(name); ok {
		return []byte(text.(string)), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
