package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"ravel/internal/ir"
)

// The serialised form of code is for a cache: only the same ravel reads it, beside the same source. So it is the memory of a compiled. What has no
// pointers is copied as it is. A pointer is a number: of what both sides have (parts of the source, builtins), or of what came before. Types are walked by
// reflection, so that no field can be forgotten.

// Encode returns the serialised form of what Compile added to the source of p.
func (p *Program) Encode() ([]byte, error) {
	c := newCoder(p.src)
	c.numbers = make(map[unsafe.Pointer]int, len(c.shared))
	for i, q := range c.shared {
		c.numbers[q] = i
	}
	c.value(c.shape(reflect.TypeFor[compiled]()), unsafe.Pointer(&p.compiled))
	return c.data, c.err
}

// Decode returns what Compile returns for the same source and options. data was made by Encode of the same ravel.
func Decode(src *ir.Program, opts Options, data []byte) (*Program, error) {
	p := newProgram(src, opts)
	if err := (&compiler{Program: p}).layOut(); err != nil {
		return nil, err
	}
	c := newCoder(src)
	c.decoding, c.data, c.text = true, data, string(data)
	c.value(c.shape(reflect.TypeFor[compiled]()), unsafe.Pointer(&p.compiled))
	if c.err == nil && c.at != len(data) {
		c.bad("too long")
	}
	if c.err != nil {
		return nil, c.err
	}
	src.Positions = append(src.Positions, p.inlined...)
	return p, nil
}

// A coder writes code, or reads it.
type coder struct {
	decoding bool
	data     []byte
	text     string // data, when decoding: strings are parts of it
	at       int    // what was read
	err      error

	shapes  map[reflect.Type]*shape
	shared  []unsafe.Pointer       // what pointers point to, by number
	numbers map[unsafe.Pointer]int // the inverse, when encoding
}

// A shape is what the coder knows of a type.
type shape struct {
	typ    reflect.Type
	kind   reflect.Kind
	size   uintptr
	flat   bool // it has no pointers
	elem   *shape
	fields []field
}

type field struct {
	offset uintptr
	shape  *shape
}

// newCoder returns a coder that knows what the code of src may point to.
func newCoder(src *ir.Program) *coder {
	c := &coder{shapes: map[reflect.Type]*shape{}}
	share := func(p unsafe.Pointer) { c.shared = append(c.shared, p) }
	share(unsafe.Pointer(Untracked))
	share(unsafe.Pointer(unknownVar))
	share(unsafe.Pointer(noValue))
	for _, name := range slices.Sorted(maps.Keys(builtins())) {
		share(unsafe.Pointer(builtins()[name]))
	}
	for _, g := range src.Globals {
		share(unsafe.Pointer(g))
	}
	known := map[*ir.Var]bool{}
	for _, f := range src.Funcs {
		share(unsafe.Pointer(f))
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if v := b.Instrs[i].Var; v != nil && !known[v] {
					known[v] = true
					share(unsafe.Pointer(v))
				}
			}
		}
	}
	return c
}

func (c *coder) bad(format string, args ...any) {
	if c.err == nil {
		c.err = errors.New("serialised code: " + fmt.Sprintf(format, args...))
	}
}

func (c *coder) shape(t reflect.Type) *shape {
	if s := c.shapes[t]; s != nil {
		return s
	}
	s := &shape{typ: t, kind: t.Kind(), size: t.Size()}
	c.shapes[t] = s
	switch {
	case s.kind >= reflect.Bool && s.kind <= reflect.Float64 && s.kind != reflect.Uintptr:
		s.flat = true
	case s.kind == reflect.Slice || s.kind == reflect.Pointer:
		s.elem = c.shape(t.Elem())
	case s.kind == reflect.Struct:
		s.flat = true
		for i := range t.NumField() {
			f := field{t.Field(i).Offset, c.shape(t.Field(i).Type)}
			s.flat = s.flat && f.shape.flat
			s.fields = append(s.fields, f)
		}
	}
	return s
}

// value codes the value at v.
func (c *coder) value(s *shape, v unsafe.Pointer) {
	if c.err != nil {
		return
	}
	if s.flat {
		c.memory(v, s.size)
		return
	}
	switch s.kind {
	case reflect.Struct:
		for _, f := range s.fields {
			c.value(f.shape, unsafe.Add(v, f.offset))
		}
	case reflect.String:
		c.str((*string)(v))
	case reflect.Slice:
		c.slice(s, v)
	case reflect.Pointer:
		c.pointer(s, (*unsafe.Pointer)(v))
	default:
		c.bad("a value of type %v", s.typ)
	}
}

// memory codes n bytes.
func (c *coder) memory(v unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(v), n)
	if !c.decoding {
		c.data = append(c.data, b...)
		return
	}
	if len(c.data)-c.at < len(b) {
		c.bad("too short")
		return
	}
	c.at += copy(b, c.data[c.at:])
}

// number codes a number that is not negative.
func (c *coder) number(n int) int {
	if !c.decoding {
		c.data = binary.AppendUvarint(c.data, uint64(n))
		return n
	}
	u, size := binary.Uvarint(c.data[c.at:])
	if size <= 0 || u > uint64(len(c.data)+len(c.shared)) {
		c.bad("a number is wrong")
		return 0
	}
	c.at += size
	return int(u)
}

func (c *coder) str(s *string) {
	n := c.number(len(*s))
	switch {
	case !c.decoding:
		c.data = append(c.data, *s...)
	case n > len(c.data)-c.at:
		c.bad("too short")
	default:
		*s = c.text[c.at : c.at+n]
		c.at += n
	}
}

// slice codes a slice: its length plus one, or 0 for nil, and its elements.
func (c *coder) slice(s *shape, v unsafe.Pointer) {
	list := reflect.NewAt(s.typ, v).Elem()
	if !c.decoding && list.IsNil() {
		c.number(0)
		return
	}
	n := c.number(list.Len()+1) - 1
	if n < 0 || c.err != nil {
		return
	}
	if c.decoding {
		list.Set(reflect.MakeSlice(s.typ, n, n))
	}
	first := list.UnsafePointer()
	if s.elem.flat {
		c.memory(first, uintptr(n)*s.elem.size)
		return
	}
	for i := range n {
		c.value(s.elem, unsafe.Add(first, uintptr(i)*s.elem.size))
	}
}

// pointer codes a pointer: 0 for nil, or a number plus one. The next number is that of a new thing, which follows.
func (c *coder) pointer(s *shape, p *unsafe.Pointer) {
	n := 0
	if !c.decoding && *p != nil {
		i, known := c.numbers[*p]
		if !known {
			i = len(c.shared)
		}
		n = i + 1
	}
	n = c.number(n)
	switch {
	case n == 0 || c.err != nil:
		return
	case n > len(c.shared)+1:
		c.bad("there is nothing of number %d", n)
		return
	case n <= len(c.shared):
		*p = c.shared[n-1]
		return
	}
	if c.decoding {
		*p = reflect.New(s.elem.typ).UnsafePointer()
	} else {
		c.numbers[*p] = len(c.shared)
	}
	c.shared = append(c.shared, *p)
	c.value(s.elem, *p)
}
