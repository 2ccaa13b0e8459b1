package machine

import (
	"fmt"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// slot returns the entry of the table for an address, nil if there is no static object.
// The address within the object is relative to base, without the owner.
func (p *Program) slot(addr uint64) (s *slot, local uint64) {
	owner, i := event.Addr(addr).Owner(), event.Addr(addr).Slot()
	local = addr - p.ownerBase(owner) + p.ownerBase(0)
	switch {
	case !p.space.Has(event.Addr(addr)):
	case owner == 0:
		if i < len(p.slots) {
			return &p.slots[i], local
		}
	case i >= p.space.TLSSlot() && i-p.space.TLSSlot() < len(p.tls):
		return &p.tls[i-p.space.TLSSlot()], local
	}
	return nil, 0
}

// Pointer returns the address that a value of the program is, if it is a pointer; tags in bits that no address has are left out.
func (p *Program) Pointer(v uint64) event.Addr {
	return event.Addr(v&(1<<p.space.Bits()-1)) | p.space.Tag()
}

// Managed reports whether the program never frees an object (ir.Program).
func (p *Program) Managed() bool { return p.src.Managed }

// Space returns the space of the program's addresses.
func (p *Program) Space() event.Space { return p.space }

// seen returns an address as the program sees it.
func (p *Program) seen(addr uint64) uint64 { return addr &^ uint64(p.space.Tag()) }

// ownerBase returns the address of slot 0 of an owner.
func (p *Program) ownerBase(owner int) uint64 { return uint64(p.space.Make(owner, 0)) }

// valid reports whether an access is good as far as can be told without the heap.
func (p *Program) valid(addr uint64, size, flags uint8) bool {
	if flags&flagPlain == 0 && addr&uint64(size-1) != 0 {
		return false
	}
	var s *slot
	local := addr
	switch a := event.Addr(addr); {
	case a.Owner() == 0: // as most are
		if i := a.Slot(); i < len(p.slots) && p.space.Has(a) {
			s = &p.slots[i]
		}
	case a.IsAllocated():
		return p.space.Has(a)
	default:
		s, local = p.slot(addr)
	}
	return s != nil && local-s.base+uint64(size) <= s.size && !(s.ro && flags&flagWrite != 0)
}

// nullPage is where the addresses end that are taken for null plus an offset.
const nullPage = 4096

// fault says what is wrong with an access that is not valid.
func (p *Program) fault(addr uint64, size, flags uint8) *Error {
	what := "read"
	if flags&flagWrite != 0 {
		what = "write"
	}
	text := ""
	seen := p.seen(addr)
	s, local := p.slot(addr)
	switch {
	case seen < nullPage:
		text = fmt.Sprintf("null pointer dereference: %s of %d bytes at %#x", what, size, seen)
	case flags&flagPlain == 0 && addr&uint64(size-1) != 0:
		text = fmt.Sprintf("misaligned atomic %s of %d bytes at %#x", what, size, seen)
	case s == nil || s.fn < 0 && s.object < 0:
		text = fmt.Sprintf("%s of %d bytes at %#x, where no object is", what, size, seen)
	case s.fn >= 0:
		text = fmt.Sprintf("%s of %d bytes of the code of function `%s`", what, size, p.src.Funcs[s.fn].Name)
	default:
		g := p.objects[s.object]
		off := local - s.base
		name := "`" + g.Name + "`"
		if strings.HasPrefix(g.Name, ".str") {
			name = "a string literal"
		}
		switch {
		case g.Decl:
			return &Error{Kind: Unsupported, Message: fmt.Sprintf("%s of %s, which is not defined in the program nor in ravel's library", what, name)}
		case off+uint64(size) > g.Size:
			text = fmt.Sprintf("%s of %d bytes at offset %d of %s, which has %d bytes", what, size, int64(off), name, g.Size)
		case s.ro && flags&flagWrite != 0:
			text = fmt.Sprintf("write to %s, which is constant", name)
		}
	}
	return &Error{Kind: MemoryError, Message: text}
}

// Object returns the static object at addr and the offset in it; nil if there is none (the null page, a function,
// the heap or the stack). The address of a thread's copy of a thread-local variable gives that variable.
func (p *Program) Object(addr event.Addr) (g *ir.Global, off uint64) {
	s, local := p.slot(uint64(addr))
	if s == nil || s.object < 0 {
		return nil, 0
	}
	return p.objects[s.object], local - s.base
}

// IsStatic reports whether a function or a static object is at addr.
func (p *Program) IsStatic(addr event.Addr) bool {
	s, _ := p.slot(uint64(addr))
	return s != nil && (s.fn >= 0 || s.object >= 0)
}

// Variable returns what is known of the object that s, a thread at its Alloc, is about to have: the variable on the stack, or the type of an object
// of the heap; nil if nothing is.
func (p *Program) Variable(a *Arena, s State) *ir.Var {
	if in := &p.code[uint32(a.words[s+frameCode])]; in.op == opAlloca || in.op == opAlloc {
		return p.vars[in.u]
	}
	return nil
}

// InitialValue returns what a static object holds at addr before the program begins; ok is false if no static object is there.
func (p *Program) InitialValue(addr event.Addr, size uint8) (v event.Value, ok bool) {
	g, off := p.Object(addr)
	if g == nil || off+uint64(size) > g.Size {
		return event.Value{}, false
	}
	for i := uint64(0); i < uint64(size) && off+i < uint64(len(g.Init)); i++ {
		if i < 8 {
			v.Lo |= uint64(g.Init[off+i]) << (8 * i)
		} else {
			v.Hi |= uint64(g.Init[off+i]) << (8 * (i - 8))
		}
	}
	return v, true
}

// text returns the string at addr as the program was linked: no event, for messages only.
func (p *Program) text(addr uint64) string {
	g, off := p.Object(event.Addr(addr))
	if g == nil || off >= uint64(len(g.Init)) {
		return "?"
	}
	b := g.Init[off:]
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
