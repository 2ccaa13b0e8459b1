package llvm

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A layout is what `target datalayout` says about sizes and alignments.
type layout struct {
	ints    []intAlign // ascending by bits
	floats  map[int]uint64
	vectors map[int]uint64
	ptr     uint64
	aggr    uint64
}

type intAlign struct {
	bits  int
	align uint64
}

// newLayout returns the layout of x86-64, which a module that says nothing gets.
func newLayout() *layout {
	return &layout{
		ints:    []intAlign{{1, 1}, {8, 1}, {16, 2}, {32, 4}, {64, 8}},
		floats:  map[int]uint64{16: 2, 32: 4, 64: 8, 80: 16, 128: 16},
		vectors: map[int]uint64{64: 8, 128: 16},
		ptr:     8,
		aggr:    1,
	}
}

// parseLayout reads a data layout string. It fails on what the rest of ravel can't do:
// big-endian memory and pointers that have neither 64 nor 32 bits.
func parseLayout(s string) (*layout, error) {
	l := newLayout()
	for spec := range strings.SplitSeq(s, "-") {
		if spec == "E" {
			return nil, fmt.Errorf("big-endian targets are not supported: compile for a little-endian target of 64 or 32 bits")
		}
		if len(spec) < 2 {
			continue
		}
		parts := strings.Split(spec[1:], ":")
		if spec[0] == 'p' {
			if parts[0] != "" && parts[0] != "0" || len(parts) < 2 {
				continue
			}
			switch parts[1] {
			case "64":
			case "32":
				l.ptr = 4
				if !strings.Contains(s, "-i64:") {
					l.setInt(64, 4)
				}
			default:
				return nil, fmt.Errorf("pointers of %s bits are not supported: compile for a target of 64 or 32 bits", parts[1])
			}
			continue
		}
		if len(parts) < 2 {
			continue
		}
		n, err := strconv.Atoi(parts[0])
		if err != nil && spec[0] != 'a' {
			continue
		}
		abi, err := strconv.Atoi(parts[1])
		if err != nil || abi < 0 || abi > 1<<16 || abi&(abi-1) != 0 {
			continue
		}
		align := max(uint64(abi)/8, 1)
		switch spec[0] {
		case 'i':
			l.setInt(n, align)
		case 'f':
			l.floats[n] = align
		case 'v':
			l.vectors[n] = align
		case 'a':
			l.aggr = align
		}
	}
	return l, nil
}

func (l *layout) setInt(n int, align uint64) {
	i := 0
	for i < len(l.ints) && l.ints[i].bits < n {
		i++
	}
	if i < len(l.ints) && l.ints[i].bits == n {
		l.ints[i].align = align
		return
	}
	l.ints = append(l.ints[:i], append([]intAlign{{n, align}}, l.ints[i:]...)...)
}

// ptrBits returns how many bits a pointer has.
func (l *layout) ptrBits() int { return int(l.ptr) * 8 }

// maxSize bounds every size; a type that is larger has this size.
const maxSize = 1 << 46

func mulSize(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 || lo > maxSize {
		return maxSize
	}
	return lo
}

func roundUp(n, align uint64) uint64 {
	return min((n+align-1)&^(align-1), maxSize)
}

// A leaf is one scalar of a type: what a load of the type reads there and the first of the
// registers that hold it. A vector whose elements are not whole bytes is one leaf.
type leaf struct {
	typ  *Type
	off  uint64
	word int
}

// maxWords bounds the registers of one value; what is larger lives in memory only.
const maxWords = 4096

// lay computes the size, alignment and register words of t. It returns false for a struct
// that contains itself.
func (l *layout) lay(t *Type) bool {
	if t.laid != notLaid {
		return t.laid == isLaid
	}
	t.laid = laying
	t.align = 1
	ok := true
	switch t.kind {
	case kInt:
		t.size = uint64(t.bits+7) / 8
		t.align = l.intAlign(t.bits)
		t.nwords = (t.bits + 63) / 64
	case kPtr:
		t.size, t.align, t.nwords = l.ptr, l.ptr, 1
	case kArray, kVector:
		ok = l.lay(t.elem)
		t.nwords = mulWords(t.elem.nwords, t.len)
		if t.kind == kArray {
			t.size, t.align = mulSize(t.len, roundUp(t.elem.size, t.elem.align)), t.elem.align
			break
		}
		n := mulSize(t.len, uint64(t.elem.scalarBits()))
		t.size = (n + 7) / 8
		t.align = l.vectors[int(n)]
		if t.align == 0 {
			t.align = 1
			for t.align < t.size && t.align < 1<<16 {
				t.align <<= 1
			}
		}
	case kStruct:
		ok = l.layStruct(t)
	default:
		if b := t.scalarBits(); b != 0 {
			t.size = uint64(b) / 8
			t.align = max(l.floats[b], 1)
			t.nwords = (b + 63) / 64
		}
	}
	t.laid = isLaid
	return ok
}

func (l *layout) intAlign(n int) uint64 {
	for _, a := range l.ints {
		if n <= a.bits {
			return a.align
		}
	}
	return l.ints[len(l.ints)-1].align
}

func (l *layout) layStruct(t *Type) bool {
	if !t.packed {
		t.align = l.aggr
	}
	t.offsets = make([]uint64, len(t.fields))
	for i, f := range t.fields {
		if !l.lay(f) {
			return false
		}
		a := f.align
		if t.packed {
			a = 1
		}
		t.size = roundUp(t.size, a)
		t.offsets[i] = t.size
		t.size = min(t.size+roundUp(f.size, f.align), maxSize)
		t.align = max(t.align, a)
		t.nwords = min(t.nwords+f.nwords, maxWords+1)
	}
	t.size = roundUp(t.size, t.align)
	return true
}

func mulWords(n int, times uint64) int {
	if n == 0 || times == 0 {
		return 0
	}
	if times > maxWords || uint64(n)*times > maxWords {
		return maxWords + 1
	}
	return n * int(times)
}

// allocSize returns the distance between two elements of an array of t.
func (l *layout) allocSize(t *Type) uint64 {
	l.lay(t)
	return roundUp(t.size, t.align)
}

// words returns how many registers a value of type t takes; more than maxWords: too many.
func (l *layout) words(t *Type) int {
	l.lay(t)
	return t.nwords
}

// leaves returns the scalars of t in order. words(t) must be at most maxWords.
func (l *layout) leaves(t *Type) []leaf {
	l.lay(t)
	if t.leafs == nil && t.nwords > 0 && t.nwords <= maxWords {
		t.leafs = l.addLeaves(nil, t, 0, 0)
	}
	return t.leafs
}

func (l *layout) addLeaves(out []leaf, t *Type, off uint64, word int) []leaf {
	l.lay(t)
	switch {
	case t.kind == kStruct:
		for i, f := range t.fields {
			out = l.addLeaves(out, f, off+t.offsets[i], word)
			word += f.nwords
		}
	case t.kind == kArray || t.kind == kVector && t.elem.scalarBits()%8 == 0:
		stride := t.elem.size
		if t.kind == kArray {
			stride = l.allocSize(t.elem)
		}
		if l.words(t.elem) == 0 {
			return out // [1000000000 x {}]
		}
		for i := uint64(0); i < t.len; i++ {
			out = l.addLeaves(out, t.elem, off+i*stride, word)
			word += t.elem.nwords
		}
	case t.kind != kVoid && t.nwords > 0:
		out = append(out, leaf{t, off, word})
	}
	return out
}

// field returns the type and the byte offset of element i of an aggregate or vector, and the
// first of its registers.
func (l *layout) field(t *Type, i int) (elem *Type, off uint64, word int) {
	l.lay(t)
	if t.kind == kStruct {
		for _, f := range t.fields[:i] {
			word += f.nwords
		}
		return t.fields[i], t.offsets[i], word
	}
	if t.kind == kVector {
		return t.elem, mulSize(uint64(i), t.elem.size), i * t.elem.nwords
	}
	return t.elem, mulSize(uint64(i), l.allocSize(t.elem)), i * t.elem.nwords
}

// A gap is bytes of an object that are in none of its fields.
type gap struct{ from, to uint64 }

// padding returns the gaps of t, if t is small enough to be accessed in one piece.
func (l *layout) padding(t *Type) (gaps []gap) {
	size := l.allocSize(t)
	if size > 16 {
		return nil
	}
	end := uint64(0)
	for _, f := range l.leaves(t) {
		if f.off > end {
			gaps = append(gaps, gap{end, f.off})
		}
		end = f.off + f.typ.size
	}
	if end < size {
		gaps = append(gaps, gap{end, size})
	}
	return gaps
}
