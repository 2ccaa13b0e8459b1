package jvm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"

	"ravel/internal/lazy"
)

// Class files: chapter 4 of the Java Virtual Machine Specification.

// Tags of constants (table 4.4-B).
const (
	tagUtf8               = 1
	tagInteger            = 3
	tagFloat              = 4
	tagLong               = 5
	tagDouble             = 6
	tagClass              = 7
	tagString             = 8
	tagField              = 9
	tagMethod             = 10
	tagInterfaceMethod    = 11
	tagNameAndType        = 12
	tagMethodHandle       = 15
	tagMethodType         = 16
	tagDynamic            = 17
	tagInvokeDynamic      = 18
	tagModule, tagPackage = 19, 20
)

// Access flags.
const (
	accStatic       = 0x0008
	accFinal        = 0x0010
	accSynchronized = 0x0020 // of methods
	accVolatile     = 0x0040 // of fields
	accNative       = 0x0100
	accInterface    = 0x0200
	accAbstract     = 0x0400
	accPrivate      = 0x0002
	accPublic       = 0x0001
)

// A constant is an entry of the constant pool.
type constant struct {
	tag  byte
	a, b uint16 // indices, or the kind of a method handle and an index
	bits uint64 // of a number: an int is sign-extended, a float has its bits
	text string
}

// A classFile is a class as its file has it.
type classFile struct {
	name       string // with slashes
	super      string // "" for java/lang/Object
	interfaces []string
	access     uint16
	fields     []*field
	methods    []*method
	source     string // name of the source file, without a folder
	bootstraps []bootstrap
	pool       []constant
}

type bootstrap struct {
	handle uint16
	args   []uint16
}

type field struct {
	class      *class
	access     uint16
	name, desc string
	value      uint16 // of ConstantValue, 0 if there is none
	offset     uint64 // of an instance field
}

func (f *field) is(flag uint16) bool { return f.access&flag != 0 }

type method struct {
	class      *class
	access     uint16
	name, desc string
	code       *code
}

func (m *method) is(flag uint16) bool { return m.access&flag != 0 }

type code struct {
	maxStack, maxLocals int
	bytes               []byte
	handlers            []handler
	lines               []line
}

// A handler is an entry of an exception table; catch is "" for one that takes everything.
type handler struct {
	start, end, target int
	catch              string
}

type line struct{ pc, line int }

// A reader reads big-endian numbers. Errors are panics with errTruncated, which parseClass catches.
type reader struct {
	b  []byte
	at int
}

var errTruncated = errors.New("the file ends too early")

type badClass struct{ err error }

func (r *reader) take(n int) []byte {
	if n < 0 || r.at+n > len(r.b) {
		panic(badClass{errTruncated})
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) u1() int    { return int(r.take(1)[0]) }
func (r *reader) u2() int    { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) u4() uint32 { return binary.BigEndian.Uint32(r.take(4)) }

// parseClass reads a class file.
func parseClass(b []byte) (c *classFile, err error) {
	defer func() {
		if e := recover(); e != nil {
			bad, ok := e.(badClass)
			if !ok {
				panic(e)
			}
			c, err = nil, bad.err
		}
	}()
	r := &reader{b: b}
	if r.u4() != 0xcafebabe {
		return nil, errors.New("this is no class file")
	}
	r.u4() // version
	c = &classFile{}
	c.readPool(r)
	c.access = uint16(r.u2())
	c.name = c.className(r.u2())
	if super := r.u2(); super != 0 {
		c.super = c.className(super)
	}
	for range r.u2() {
		c.interfaces = append(c.interfaces, c.className(r.u2()))
	}
	for range r.u2() {
		f := &field{access: uint16(r.u2()), name: c.utf8(r.u2()), desc: c.descriptor(r.u2())}
		c.attributes(r, func(name string, r *reader) {
			if name == "ConstantValue" {
				f.value = uint16(r.u2())
			}
		})
		c.fields = append(c.fields, f)
	}
	for range r.u2() {
		m := &method{access: uint16(r.u2()), name: c.utf8(r.u2()), desc: c.descriptor(r.u2())}
		c.attributes(r, func(name string, r *reader) {
			if name == "Code" {
				m.code = c.readCode(r)
			}
		})
		c.methods = append(c.methods, m)
	}
	c.attributes(r, func(name string, r *reader) {
		switch name {
		case "SourceFile":
			c.source = c.utf8(r.u2())
		case "BootstrapMethods":
			for range r.u2() {
				b := bootstrap{handle: uint16(r.u2())}
				for range r.u2() {
					b.args = append(b.args, uint16(r.u2()))
				}
				c.bootstraps = append(c.bootstraps, b)
			}
		}
	})
	return c, nil
}

func (c *classFile) readPool(r *reader) {
	n := r.u2()
	c.pool = make([]constant, n)
	for i := 1; i < n; i++ {
		k := &c.pool[i]
		k.tag = byte(r.u1())
		switch k.tag {
		case tagUtf8:
			k.text = modifiedUTF8(r.take(r.u2()))
		case tagInteger:
			k.bits = uint64(int64(int32(r.u4())))
		case tagFloat:
			k.bits = uint64(r.u4())
		case tagLong, tagDouble:
			k.bits = uint64(r.u4()) << 32
			k.bits |= uint64(r.u4())
			i++ // it takes two entries
		case tagClass, tagString, tagMethodType, tagModule, tagPackage:
			k.a = uint16(r.u2())
		case tagField, tagMethod, tagInterfaceMethod, tagNameAndType, tagDynamic, tagInvokeDynamic:
			k.a, k.b = uint16(r.u2()), uint16(r.u2())
		case tagMethodHandle:
			k.a, k.b = uint16(r.u1()), uint16(r.u2())
		default:
			panic(badClass{fmt.Errorf("constant %d has the unknown tag %d", i, k.tag)})
		}
	}
}

// modifiedUTF8 decodes the encoding of strings in class files (4.4.7). Surrogates that are no pair become U+FFFD.
func modifiedUTF8(b []byte) string {
	var units []uint16
	for i := 0; i < len(b); {
		switch x := b[i]; {
		case x < 0x80:
			units = append(units, uint16(x))
			i++
		case x&0xe0 == 0xc0 && i+1 < len(b):
			units = append(units, uint16(x&0x1f)<<6|uint16(b[i+1]&0x3f))
			i += 2
		case x&0xf0 == 0xe0 && i+2 < len(b):
			units = append(units, uint16(x&0xf)<<12|uint16(b[i+1]&0x3f)<<6|uint16(b[i+2]&0x3f))
			i += 3
		default:
			panic(badClass{errors.New("a string is not encoded as class files want it")})
		}
	}
	return string(utf16.Decode(units))
}

func (c *classFile) at(i int, tags ...byte) *constant {
	if i <= 0 || i >= len(c.pool) {
		panic(badClass{fmt.Errorf("there is no constant %d", i)})
	}
	k := &c.pool[i]
	for _, t := range tags {
		if k.tag == t {
			return k
		}
	}
	panic(badClass{fmt.Errorf("constant %d has tag %d", i, k.tag)})
}

var (
	fieldType  = lazy.Regexp(`^\[*([ZBCSIJFD]|L[^;\[]+;)$`)
	methodType = lazy.Regexp(`^\((\[*([ZBCSIJFD]|L[^;\[]+;))*\)(V|\[*([ZBCSIJFD]|L[^;\[]+;))$`)
)

// descriptor returns a type, of a field or a method.
func (c *classFile) descriptor(i int) string {
	d := c.utf8(i)
	if !fieldType().MatchString(d) && !methodType().MatchString(d) {
		panic(badClass{fmt.Errorf("%q is no type", d)})
	}
	return d
}

func (c *classFile) utf8(i int) string { return c.at(i, tagUtf8).text }

func (c *classFile) className(i int) string { return c.utf8(int(c.at(i, tagClass).a)) }

// A ref names a field or a method.
type ref struct {
	class, name, desc string
	isInterface       bool
}

func (c *classFile) ref(i int) ref {
	k := c.at(i, tagField, tagMethod, tagInterfaceMethod)
	nt := c.at(int(k.b), tagNameAndType)
	return ref{class: c.className(int(k.a)), name: c.utf8(int(nt.a)), desc: c.descriptor(int(nt.b)), isInterface: k.tag == tagInterfaceMethod}
}

// attributes calls f with the name and the contents of each attribute.
func (c *classFile) attributes(r *reader, f func(name string, r *reader)) {
	for range r.u2() {
		name := c.utf8(r.u2())
		n := r.u4()
		if n > math.MaxInt32 {
			panic(badClass{errTruncated})
		}
		f(name, &reader{b: r.take(int(n))})
	}
}

func (c *classFile) readCode(r *reader) *code {
	k := &code{maxStack: r.u2(), maxLocals: r.u2()}
	k.bytes = r.take(int(r.u4()))
	for range r.u2() {
		h := handler{start: r.u2(), end: r.u2(), target: r.u2()}
		if t := r.u2(); t != 0 {
			h.catch = c.className(t)
		}
		k.handlers = append(k.handlers, h)
	}
	c.attributes(r, func(name string, r *reader) {
		if name == "LineNumberTable" {
			for range r.u2() {
				k.lines = append(k.lines, line{r.u2(), r.u2()})
			}
		}
	})
	return k
}

// lineAt returns the line of an instruction, 0 if it is not known.
func (k *code) lineAt(pc int) int {
	best := line{pc: -1}
	for _, l := range k.lines {
		if l.pc <= pc && l.pc >= best.pc {
			best = l
		}
	}
	return best.line
}
