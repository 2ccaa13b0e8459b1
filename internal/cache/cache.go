// Package cache keeps what takes long to make in files of the user's cache folder ($XDG_CACHE_HOME/ravel). Their names are hashes
// of all that their contents depend on, so an entry never changes.
//
// Several processes may use the folder at a time: an entry is written to a file of its own, which then gets its name. An entry that is damaged counts as
// missing. What was not used for longest goes when the folder gets too large. No failure is an error: what can't be kept is made again.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limit is how many bytes the entries have together, at most.
const Limit = 1 << 30

// A Store is a folder of entries. A nil one has none and keeps none.
type Store struct {
	dir   string
	limit int64

	mu      sync.Mutex
	written int64 // since the folder was last trimmed; -1 if it never was
}

// Open returns the store in the user's cache folder, nil if there is no such folder.
var Open = sync.OnceValue(func() *Store {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return In(filepath.Join(dir, "ravel", "cache"), Limit)
})

// In returns the store in a folder, which need not exist.
func In(dir string, limit int64) *Store { return &Store{dir: dir, limit: limit, written: -1} }

// A Key names an entry.
type Key [sha256.Size]byte

// KeyOf returns the key for what depends on parts, in this order.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return Key(h.Sum(nil))
}

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText and UnmarshalText let keys be part of JSON.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != 2*len(k) {
		return errors.New("this is not a key")
	}
	if _, err := hex.Decode(k[:], text); err != nil {
		return fmt.Errorf("this is not a key: %w", err)
	}
	return nil
}

// An entry begins with these, the length of what follows and its checksum.
var magic = []byte("ravel 1\n")

const header = 8 + 8 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Get returns an entry.
func (s *Store) Get(k Key) (content []byte, ok bool) {
	if s == nil {
		return nil, false
	}
	file := filepath.Join(s.dir, k.String())
	text, err := os.ReadFile(file)
	if err != nil || len(text) < header || !bytes.HasPrefix(text, magic) {
		return nil, false
	}
	content = text[header:]
	if binary.LittleEndian.Uint64(text[8:]) != uint64(len(content)) || binary.LittleEndian.Uint32(text[16:]) != crc32.Checksum(content, castagnoli) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it was used
	return content, true
}

// Put keeps an entry.
func (s *Store) Put(k Key, content []byte) {
	if s == nil || os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(s.dir, "new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	head := slices.Clone(magic)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(content)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(content, castagnoli))
	_, err = f.Write(head)
	if err == nil {
		_, err = f.Write(content)
	}
	if f.Close() != nil || err != nil || os.Rename(f.Name(), filepath.Join(s.dir, k.String())) != nil {
		return
	}
	s.grown(int64(len(content) + header))
}

// grown trims the folder if it may have become too large.
func (s *Store) grown(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written >= 0 && s.written+n < s.limit/8 {
		s.written += n
		return
	}
	s.written = 0
	s.trim()
}

// trim removes what was not used for longest until there is some room, and what processes that ended too early left.
func (s *Store) trim() {
	const abandoned = time.Hour
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case strings.HasPrefix(e.Name(), "new-"):
			if time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(s.dir, e.Name()))
			}
		default:
			files = append(files, info)
			total += info.Size()
		}
	}
	if total <= s.limit {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= s.limit*3/4 {
			return
		}
		if os.Remove(filepath.Join(s.dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}

// Binary returns which ravel this is: the beginning of a binary has the hash that Go gives it. "" if that is not known.
var Binary = sync.OnceValue(func() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(exe)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	head := make([]byte, 1<<16)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return KeyOf(string(head[:n]), fmt.Sprint(info.Size(), info.ModTime())).String()
})
