package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// render returns a value of size bytes by its type; without one it guesses.
func (n *Namer) render(shape *ir.Shape, size uint8, v event.Value) string {
	if undefined := v.Hi; size <= 8 && undefined != 0 {
		if undefined == event.Undefined(size).Hi {
			return "?"
		}
		return n.render(shape, size, event.Value{Lo: v.Lo}) + "?"
	}
	switch {
	case shape == nil:
		return n.guess(size, v)
	case len(shape.Fields) > 0 || size > 8:
		return n.renderWords(shape, size, v)
	case shape.IsPtr:
		return n.pointer(v.Lo, shape.Ptr)
	}
	bits := v.Mask(size).Lo
	switch shape.Name {
	case "bool", "_Bool", "atomic_bool":
		if bits <= 1 {
			return strconv.FormatBool(bits == 1)
		}
	case "float", "f32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case "double", "f64":
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	}
	if shape.Char && (bits >= ' ' && bits < 0x7f || bits == '\n' || bits == '\t') {
		return strconv.QuoteRune(rune(bits))
	}
	if text := n.pointerIn(shape, size, bits); text != "" {
		return text
	}
	if shape.Signed {
		return strconv.FormatInt(signed(bits, size), 10)
	}
	return unsigned(bits)
}

// pointerIn returns the pointer that an integer holds, "" if it does not look like one. Numbers are seldom as large as the addresses of what is allocated; those of
// variables are smaller, so the type must be one for pointers, and there may be no tag above the address.
func (n *Namer) pointerIn(shape *ir.Shape, size uint8, bits uint64) string {
	if uint64(size) != n.prog.PtrSize() || bits < n.prog.Space.NullSize() {
		return ""
	}
	a := n.address(bits)
	o, off := n.find(a)
	if o == nil || off < 0 || uint64(off) > o.size || !a.IsAllocated() && (bits>>48 != 0 || !strings.Contains(shape.Name, "intptr")) {
		return ""
	}
	return n.pointer(bits, nil)
}

func signed(bits uint64, size uint8) int64 {
	shift := 64 - 8*min(size, 8)
	return int64(bits<<shift) >> shift
}

// unsigned returns large numbers in hexadecimal: they are masks and hashes more often than counts.
func unsigned(bits uint64) string {
	if bits < 1<<40 {
		return strconv.FormatUint(bits, 10)
	}
	return fmt.Sprintf("%#x", bits)
}

// guess renders a value of unknown type: an address of something known is a pointer, and what
// looks like a small negative number is one.
func (n *Namer) guess(size uint8, v event.Value) string {
	if size > 8 {
		return v.String()
	}
	bits := v.Mask(size).Lo
	if uint64(size) == n.prog.PtrSize() && bits >= n.prog.Space.NullSize() {
		if o, off := n.find(n.address(bits)); o != nil && off >= 0 && uint64(off) <= o.size {
			return n.pointer(bits, nil)
		}
	}
	if s := signed(bits, size); s < 0 && s >= -4096 && size > 1 {
		return strconv.FormatInt(s, 10)
	}
	return unsigned(bits)
}

// renderWords renders a value that has parts: the pointer and the counter that a 16-byte CAS swaps.
func (n *Namer) renderWords(shape *ir.Shape, size uint8, v event.Value) string {
	var parts []string
	for _, f := range shape.Fields {
		if f.Type == nil || f.Type.Size == 0 || f.Type.Size > 8 || f.Offset+f.Type.Size > uint64(size) {
			return v.String()
		}
		word, at := v.Lo, f.Offset
		if at >= 8 {
			word, at = v.Hi, at-8
		}
		fs := uint8(f.Type.Size)
		parts = append(parts, n.render(f.Type, fs, event.Value{Lo: word >> (8 * at)}.Mask(fs)))
	}
	switch len(parts) {
	case 0:
		return v.String()
	case 1:
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// pointer renders a pointer to a pointee of the given type, which may be nil. Tags that the program
// keeps in bits that no address uses are shown as what they are.
func (n *Namer) pointer(v uint64, pointee *ir.Shape) string {
	a := n.address(v)
	switch {
	case v == 0:
		return "null"
	case v < 4096:
		return strconv.FormatUint(v, 10)
	case v == math.MaxUint64>>(64-8*n.prog.PtrSize()):
		return "-1"
	case n.seen(a) < n.prog.Space.NullSize() || v&(1<<event.AddrBits) != 0:
		return fmt.Sprintf("%#x", v)
	}
	o, off := n.find(a)
	if o == nil {
		return fmt.Sprintf("%#x", v)
	}
	text := n.pointerInto(o, off, pointee)
	if n.prog.Managed {
		return text
	}
	if !o.code {
		text = "&" + text
	}
	if high := v >> 48; high != 0 {
		text += fmt.Sprintf("|%d<<48", high)
	}
	return text
}

// pointerInto renders a pointer to what is at off in o: a part of the pointee's type, or any part if that is not known. If none begins there, the low bits
// may be a tag.
func (n *Namer) pointerInto(o *object, off int64, pointee *ir.Shape) string {
	size, unit := uint64(0), o.shape
	if pointee != nil {
		size, unit = pointee.Size, pointee
	}
	path, shape := o.part(off, size, true)
	if shape != nil || off == 0 {
		return o.name + path
	}
	low := n.tag(uint64(off), unit)
	path, shape = o.part(off-int64(low), size, true)
	if shape == nil {
		path, _ = o.part(off-int64(low), 0, true)
	}
	if low != 0 {
		path += fmt.Sprintf("|%d", low)
	}
	return o.name + path
}
