package jvm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// modules reads classes of the JDK from its file lib/modules, a jimage: a hash table of the names of resources, then their contents.
// All numbers in it are little-endian, except in the attributes of a location.
type modules struct {
	file      *os.File
	redirect  []byte // of the table
	offsets   []byte
	locations []byte
	strings   []byte
	length    uint32 // of the table
	data      int64  // where the contents begin
}

const jimageMagic = 0xcafedada

var opened sync.Map // path → *modules

// openModules opens the file at path. It stays open: a process reads few JDKs.
func openModules(path string) (*modules, error) {
	if m, ok := opened.Load(path); ok {
		return m.(*modules), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := newModules(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if old, ok := opened.LoadOrStore(path, m); ok {
		f.Close()
		return old.(*modules), nil
	}
	return m, nil
}

func newModules(f *os.File) (*modules, error) {
	header := make([]byte, 28)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, err
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(header[4*i:]) }
	if word(0) != jimageMagic {
		return nil, errors.New("this is no jimage")
	}
	m := &modules{file: f, length: word(4)}
	locations, texts := word(5), word(6)
	rest := make([]byte, 8*int(m.length)+int(locations)+int(texts))
	if _, err := io.ReadFull(f, rest); err != nil {
		return nil, err
	}
	m.redirect, rest = rest[:4*m.length], rest[4*m.length:]
	m.offsets, rest = rest[:4*m.length], rest[4*m.length:]
	m.locations, m.strings = rest[:locations], rest[locations:]
	m.data = int64(len(header)) + 8*int64(m.length) + int64(locations) + int64(texts)
	return m, nil
}

const jimageSeed = 0x01000193

func jimageHash(s string, seed uint32) uint32 {
	h := seed
	for i := range len(s) {
		h = h*jimageSeed ^ uint32(s[i])
	}
	return h & 0x7fffffff
}

// Attributes of a location.
const (
	attrEnd = iota
	attrModule
	attrParent
	attrBase
	attrExtension
	attrOffset
	attrCompressed
	attrSize
	attrs
)

// class returns the file of a class of the module java.base, nil if there is none.
func (m *modules) class(name string) ([]byte, error) {
	full := "/java.base/" + name + ".class"
	if m.length == 0 {
		return nil, nil
	}
	i := jimageHash(full, jimageSeed) % m.length
	switch r := int32(binary.LittleEndian.Uint32(m.redirect[4*i:])); {
	case r > 0:
		i = jimageHash(full, uint32(r)) % m.length
	case r < 0:
		i = uint32(-1 - r)
	default:
		return nil, nil
	}
	at := m.attributes(binary.LittleEndian.Uint32(m.offsets[4*i:]))
	found := "/" + m.text(at[attrModule]) + "/" + m.text(at[attrParent]) + "/" + m.text(at[attrBase]) + "." + m.text(at[attrExtension])
	if found != full {
		return nil, nil
	}
	if at[attrCompressed] != 0 {
		return nil, fmt.Errorf("the classes of this JDK are compressed")
	}
	b := make([]byte, at[attrSize])
	_, err := m.file.ReadAt(b, m.data+int64(at[attrOffset]))
	return b, err
}

func (m *modules) attributes(at uint32) (list [attrs]uint64) {
	for int(at) < len(m.locations) {
		kind, n := m.locations[at]>>3, uint32(m.locations[at]&7)+1
		if kind == attrEnd || kind >= attrs || int(at+n) >= len(m.locations) {
			break
		}
		for _, b := range m.locations[at+1 : at+1+n] {
			list[kind] = list[kind]<<8 | uint64(b)
		}
		at += n + 1
	}
	return list
}

func (m *modules) text(at uint64) string {
	if at >= uint64(len(m.strings)) {
		return ""
	}
	s, _, _ := strings.Cut(string(m.strings[at:min(at+1<<10, uint64(len(m.strings)))]), "\x00")
	return s
}
