package states

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// A spill keeps large tables in files, mapped into memory: the system writes to disk what it has no memory for. The files have no names once they
// are open, so nothing is left behind whatever happens.
type spill struct {
	dir string

	mu      sync.Mutex
	bytes   int64    // in files
	slab    []uint64 // of which segments are made
	all     [][]byte
	retired [][]byte // tables that were replaced: a worker may still look at them
	err     error
}

const (
	minSpilled = 1 << 10 // words: smaller tables stay on the heap
	slabWords  = 1 << 18
)

// words returns n words of 0. Without a spill, or if they are few, they are on the heap.
func (s *spill) words(n int) []uint64 {
	if s == nil || n < minSpilled {
		return make([]uint64, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := s.open(8 * n)
	if err != nil {
		s.err = err
		return make([]uint64, n)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), n)
}

// numbers is words for smaller numbers.
func (s *spill) numbers(n int) []uint32 {
	if s == nil || n < 2*minSpilled {
		return make([]uint32, n)
	}
	words := s.words((n + 1) / 2)
	return unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), n)
}

// segment returns a segment of a list.
func (s *spill) segment() *[segSize]uint64 {
	if s == nil {
		return new([segSize]uint64)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.slab) == 0 {
		data, err := s.open(8 * slabWords)
		if err != nil {
			s.err = err
			return new([segSize]uint64)
		}
		s.slab = unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), slabWords)
	}
	seg := (*[segSize]uint64)(s.slab)
	s.slab = s.slab[segSize:]
	return seg
}

// open maps a new file of n bytes.
func (s *spill) open(n int) ([]byte, error) {
	f, err := os.CreateTemp(s.dir, "ravel-states-")
	if err != nil {
		return nil, fmt.Errorf("--spill: %w", err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("--spill: %w", err)
	}
	if err := allocate(f, int64(n)); err != nil {
		return nil, fmt.Errorf("--spill: %s: no room for %d bytes: %w", s.dir, n, err)
	}
	data, err := mapFile(f, n)
	if err != nil {
		return nil, fmt.Errorf("--spill: mapping %d bytes: %w", n, err)
	}
	s.bytes += int64(n)
	s.all = append(s.all, data)
	return data, nil
}

// retire notes that the table at p is not used any more, except for workers that are looking at it.
func (s *spill) retire(p unsafe.Pointer) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, data := range s.all {
		if unsafe.Pointer(&data[0]) == p {
			s.retired = append(s.retired, data)
			s.all[i] = s.all[len(s.all)-1]
			s.all = s.all[:len(s.all)-1]
			return
		}
	}
}

// sweep gives back the tables that were replaced. No worker may be at work.
func (s *spill) sweep() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range s.retired {
		s.bytes -= int64(len(data))
		s.unmap(data)
	}
	s.retired = nil
}

// close gives everything back.
func (s *spill) close() {
	s.sweep()
	if s == nil {
		return
	}
	for _, data := range s.all {
		s.unmap(data)
	}
	s.all, s.slab = nil, nil
}

func (s *spill) unmap(data []byte) {
	if err := unmapFile(data); err != nil && s.err == nil {
		s.err = fmt.Errorf("--spill: %w", err)
	}
}

// size returns how many bytes are in files, and what went wrong.
func (s *spill) size() (int64, error) {
	if s == nil {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes, s.err
}
