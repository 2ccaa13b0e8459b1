package llvm

import (
	"fmt"
	"strings"
)

type kind uint8

const (
	kVoid kind = iota
	kInt
	kHalf
	kBFloat
	kFloat
	kDouble
	kX86FP80
	kFP128
	kPPCFP128
	kPtr
	kArray
	kVector
	kStruct
	kFunc
	kLabel
	kMetadata
	kToken
	kOpaque // opaque structs, target types, scalable vectors: no values of them are supported
)

// A Type is a type of one module. All pointers are one type: LLVM 14 prints the pointee
// wherever it matters.
type Type struct {
	kind     kind
	packed   bool
	variadic bool
	defined  bool   // a named struct whose body was seen
	name     string // of a named struct or an opaque type
	bits     int    // of an integer
	len      uint64 // of an array or vector
	elem     *Type  // of an array or vector; the result of a function
	fields   []*Type
	pos      int32 // of the first use, for errors

	laid    layState
	offsets []uint64 // of a struct's fields
	size    uint64   // bytes that a store writes
	align   uint64
	nwords  int
	leafs   []leaf
}

type layState uint8

const (
	notLaid layState = iota
	laying
	isLaid
)

func (t *Type) isFloat() bool  { return t.kind >= kHalf && t.kind <= kPPCFP128 }
func (t *Type) isScalar() bool { return t.kind == kInt || t.kind == kPtr || t.isFloat() }
func (t *Type) isFirst() bool  { return t.isScalar() || t.kind == kVector || t.isAggregate() }
func (t *Type) isOpaque() bool { return t.kind == kOpaque }
func (t *Type) isAggregate() bool {
	return t.kind == kArray || t.kind == kStruct
}

// scalar returns the element type of a vector, or t itself.
func (t *Type) scalar() *Type {
	if t.kind == kVector {
		return t.elem
	}
	return t
}

// lanes returns the number of elements of a vector, or 1.
func (t *Type) lanes() int {
	if t.kind == kVector {
		return int(t.len)
	}
	return 1
}

// scalarBits returns the bits of a scalar.
func (t *Type) scalarBits() int {
	switch t.kind {
	case kInt:
		return t.bits
	case kHalf, kBFloat:
		return 16
	case kFloat:
		return 32
	case kDouble:
		return 64
	case kPtr:
		return int(t.size) * 8
	case kX86FP80:
		return 80
	case kFP128, kPPCFP128:
		return 128
	}
	return 0
}

// sameType reports whether a value of type a may be used as one of type b.
func sameType(a, b *Type) bool {
	if a == b {
		return true
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case kInt:
		return a.bits == b.bits
	case kArray, kVector:
		return a.len == b.len && sameType(a.elem, b.elem)
	case kStruct:
		if a.name != "" || b.name != "" || a.packed != b.packed {
			return false
		}
		return sameTypes(a.fields, b.fields)
	case kFunc:
		return a.variadic == b.variadic && sameType(a.elem, b.elem) && sameTypes(a.fields, b.fields)
	case kOpaque:
		return a.name == b.name
	}
	return true
}

func sameTypes(a, b []*Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameType(a[i], b[i]) {
			return false
		}
	}
	return true
}

var kindNames = [...]string{
	kVoid: "void", kHalf: "half", kBFloat: "bfloat", kFloat: "float", kDouble: "double", kX86FP80: "x86_fp80",
	kFP128: "fp128", kPPCFP128: "ppc_fp128", kPtr: "ptr", kLabel: "label", kMetadata: "metadata", kToken: "token",
	kOpaque: "opaque",
}

func (t *Type) String() string {
	switch t.kind {
	case kInt:
		return fmt.Sprintf("i%d", t.bits)
	case kArray:
		return fmt.Sprintf("[%d x %s]", t.len, t.elem)
	case kVector:
		return fmt.Sprintf("<%d x %s>", t.len, t.elem)
	case kStruct:
		if t.name != "" {
			return "%" + t.name
		}
		open, end := "{ ", " }"
		if t.packed {
			open, end = "<{ ", " }>"
		}
		return open + typeList(t.fields) + end
	case kFunc:
		s := typeList(t.fields)
		if t.variadic {
			s = strings.TrimPrefix(s+", ...", ", ")
		}
		return fmt.Sprintf("%s (%s)", t.elem, s)
	case kOpaque:
		if t.name != "" {
			return t.name
		}
	}
	return kindNames[t.kind]
}

func typeList(ts []*Type) string {
	var s []string
	for _, t := range ts {
		s = append(s, t.String())
	}
	return strings.Join(s, ", ")
}
