package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestStore(t *testing.T) {
	s := In(filepath.Join(t.TempDir(), "new", "folder"), 1<<20)
	k := KeyOf("a", "bc")
	if k == KeyOf("ab", "c") || k != KeyOf("a", "bc") {
		t.Error("keys do not tell the parts apart")
	}
	if _, ok := s.Get(k); ok {
		t.Error("an empty store has an entry")
	}
	s.Put(k, []byte("text"))
	if got, ok := s.Get(k); !ok || string(got) != "text" {
		t.Errorf("got %q, %t", got, ok)
	}
	var none *Store
	none.Put(k, nil)
	if _, ok := none.Get(k); ok {
		t.Error("no store has an entry")
	}
}

// A file that is cut, or has other bytes, is not an entry.
func TestTorn(t *testing.T) {
	s := In(t.TempDir(), 1<<20)
	k := KeyOf("k")
	file := filepath.Join(s.dir, k.String())
	s.Put(k, []byte("some text"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		changed := bytes.Clone(whole)
		changed[n] ^= 1
		for _, bad := range [][]byte{whole[:n], changed} {
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, ok := s.Get(k); ok {
				t.Fatalf("%q is taken for %q", bad, got)
			}
		}
	}
	s.Put(k, []byte("again"))
	if got, ok := s.Get(k); !ok || string(got) != "again" {
		t.Errorf("got %q, %t", got, ok)
	}
}

// A store that is too large loses what was not used for longest, and files that were left.
func TestLimit(t *testing.T) {
	const entries = 40
	s := In(t.TempDir(), 1000*entries/2)
	left := filepath.Join(s.dir, "new-1")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	key := func(i int) Key { return KeyOf(fmt.Sprint(i)) }
	for i := range entries {
		s.Put(key(i), make([]byte, 1000-header))
		then := old.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(filepath.Join(s.dir, key(i).String()), then, then); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		s.Get(key(0)) // is in use
	}
	files, err := os.ReadDir(s.dir)
	if err != nil || len(files) > entries*3/4 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for i, want := range map[int]bool{0: true, 1: false, entries - 1: true} {
		if _, ok := s.Get(key(i)); ok != want {
			t.Errorf("entry %d: %t, want %t", i, ok, want)
		}
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a file that was left is still there")
	}
}

// Stores of several processes share a folder: each entry that is there is whole.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		s := In(dir, 20_000)
		wg.Go(func() {
			for i := range 200 {
				k := KeyOf(fmt.Sprint(i % 10))
				want := bytes.Repeat([]byte{byte(i % 10)}, 5000)
				if got, ok := s.Get(k); ok && !bytes.Equal(got, want) {
					t.Errorf("entry %d has %d other bytes", i%10, len(got))
				}
				s.Put(k, want)
			}
		})
	}
	wg.Wait()
}
