package machine

import (
	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

// A Place is the addresses that an instruction may access, from Lo to Hi: one address if it is known, or those of an object, or all.
//
// An address is followed back through the code to what it is computed from. One that is computed from an address of an object, and an index that is not known, is within that object: an index that leads from
// one object into another is an error of the program.
type Place struct{ Lo, Hi uint64 }

// Anywhere is all addresses.
var Anywhere = Place{0, ^uint64(0)}

// IsOne reports whether it is one address.
func (p Place) IsOne() bool { return p.Lo == p.Hi }

// Meets reports whether the places have an address in common.
func (p Place) Meets(q Place) bool { return p.Lo <= q.Hi && q.Lo <= p.Hi }

// A tracedValue is what is known of a value. If nothing is, its place is Anywhere.
type tracedValue struct {
	place Place
	none  bool // it is what it was computed from before, in a loop
	moved bool // so, with something added to it
}

var (
	anyValue  = tracedValue{place: Anywhere}
	sameValue = tracedValue{none: true}
)

// A definition is where a register gets a value.
type definitionAt struct {
	pc  int32
	reg uint16
}

// A tracer follows values back.
type tracer struct {
	c     *ThreadCode
	open  map[definitionAt]bool
	steps int
}

// place returns the place of the address that the instruction at pc has in the register plus a constant, or, if more, of what follows it.
func (c *ThreadCode) place(pc int32, reg uint16, imm uint64, more bool) Place {
	if reg != frameZero && c.h.p.space != event.Wide {
		return Anywhere
	}
	t := &tracer{c: c, open: map[definitionAt]bool{}}
	v := t.operand(pc, reg, imm)
	if v.none {
		return Anywhere
	}
	if more || c.h.p.layout != nil { // it may be performed in pieces
		return t.object(v).place
	}
	return v.place
}

// operand returns what is known of a register plus a constant, before the instruction at pc.
func (t *tracer) operand(pc int32, reg uint16, imm uint64) tracedValue {
	if reg == frameZero {
		return tracedValue{place: Place{imm, imm}}
	}
	v := t.before(pc, reg)
	switch {
	case v.none:
		v.moved = v.moved || imm != 0
	case v.place.IsOne():
		v.place = Place{v.place.Lo + imm, v.place.Lo + imm}
	}
	return v
}

// object returns what is known of v if something that is not known is added to it.
func (t *tracer) object(v tracedValue) tracedValue {
	switch {
	case v.none:
		v.moved = true
		return v
	case !v.place.IsOne():
		return v
	}
	s, local := t.c.h.p.slot(v.place.Lo)
	if s == nil || s.size == 0 || local < s.base || local > s.base+s.size {
		return anyValue
	}
	lo := v.place.Lo - (local - s.base)
	return tracedValue{place: Place{lo, lo + s.size}}
}

// join returns what is known of a value that is v or w.
func (t *tracer) join(v, w tracedValue) tracedValue {
	switch {
	case v.none && w.none:
		return tracedValue{none: true, moved: v.moved || w.moved}
	case w.none:
		v, w = w, v
		fallthrough
	case v.none:
		if v.moved {
			return t.object(w)
		}
		return w
	case v.place == w.place:
		return v
	}
	v, w = t.object(v), t.object(w)
	return tracedValue{place: Place{min(v.place.Lo, w.place.Lo), max(v.place.Hi, w.place.Hi)}}
}

// before returns what is known of the register before the instruction at pc.
func (t *tracer) before(pc int32, reg uint16) tracedValue {
	h, p := t.c.h, t.c.h.p
	seen := map[int32]bool{pc: true}
	todo := []int32{pc}
	all, first := sameValue, true
	add := func(v tracedValue) {
		if first {
			all, first = v, false
		} else {
			all = t.join(all, v)
		}
	}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.steps++; t.steps > maxTraced {
			return anyValue
		}
		if f, ok := h.entries[pc]; ok {
			add(t.param(f, reg))
		}
		for _, q := range h.preds[pc] {
			if !t.c.pcs.Has(q) {
				continue
			}
			defines := false
			p.codeDefs(int(q), func(r uint16) { defines = defines || r == reg })
			if defines {
				add(t.result(q, reg))
			} else if !seen[q] {
				seen[q] = true
				todo = append(todo, q)
			}
		}
	}
	if first {
		return anyValue
	}
	return all
}

// param returns what is known of a register when the function begins.
func (t *tracer) param(f int32, reg uint16) tracedValue {
	c, p := t.c, t.c.h.p
	at := definitionAt{-1 - f, reg}
	if t.open[at] {
		return sameValue
	}
	for i, r := range p.funcs[f].params {
		if r != reg || len(c.unknown) > 0 && !c.isRoot(f) {
			continue
		}
		t.open[at] = true
		defer delete(t.open, at)
		all, first := sameValue, true
		if c.isRoot(f) {
			if !c.argKnown || i > 0 {
				return anyValue
			}
			all, first = tracedValue{place: Place{c.arg, c.arg}}, false
		}
		for _, q := range c.h.callers[f] {
			if !c.pcs.Has(q) {
				continue
			}
			args := p.calls[p.code[q].t].args
			if i >= len(args) {
				return anyValue
			}
			v := t.operand(q, args[i].reg, args[i].imm)
			if first {
				all, first = v, false
			} else {
				all = t.join(all, v)
			}
		}
		return all
	}
	return anyValue
}

// result returns what is known of the register after the instruction at pc, which writes it.
func (t *tracer) result(pc int32, reg uint16) tracedValue {
	p := t.c.h.p
	in := &p.code[pc]
	at := definitionAt{pc, reg}
	if t.open[at] {
		return sameValue
	}
	t.open[at] = true
	defer delete(t.open, at)
	switch {
	case in.dst != reg || in.flags&flagWide != 0:
		return anyValue
	case in.op == opMov:
		return t.operand(pc, in.a, in.ia)
	case in.op == opSelect:
		return t.join(t.operand(pc, in.b, in.ib), t.operand(pc, in.c, in.ic))
	case in.op == opAlloca:
		owner := uint64(t.c.thread + 1)
		return tracedValue{place: Place{uint64(event.MakeAddr(int(owner), 0)) >> ownerShift << ownerShift, (owner+1)<<ownerShift - 1}}
	}
	if in.op == opEval {
		a, b, c := t.operand(pc, in.a, in.ia), t.operand(pc, in.b, in.ib), t.operand(pc, in.c, in.ic)
		if a.none || b.none || c.none || !a.place.IsOne() || !b.place.IsOne() || !c.place.IsOne() {
			return anyValue
		}
		v, _, fault := arith.Eval(&p.evals[in.t], a.place.Lo, b.place.Lo, c.place.Lo)
		if fault != "" {
			return anyValue
		}
		return tracedValue{place: Place{v, v}}
	}
	if in.op == opSExt {
		a := t.operand(pc, in.a, in.ia)
		if a.none || !a.place.IsOne() {
			return anyValue
		}
		v := uint64(int64(a.place.Lo<<(in.width&63))>>(in.width&63)) & in.ic
		return tracedValue{place: Place{v, v}}
	}
	if in.op != opGep && (in.op < opAdd || in.op > opXor) {
		return anyValue
	}
	a, b := t.operand(pc, in.a, in.ia), t.operand(pc, in.b, in.ib)
	x, y := a.place.Lo, b.place.Lo
	exact := !a.none && !b.none && a.place.IsOne() && b.place.IsOne()
	switch {
	case exact && in.op == opGep:
		x += y * in.ic
	case in.op == opGep:
		return t.object(a)
	case !exact:
		return anyValue
	case in.op == opAdd:
		x = (x + y) & in.ic
	case in.op == opSub:
		x = (x - y) & in.ic
	case in.op == opMul:
		x = x * y & in.ic
	case in.op == opAnd:
		x &= y
	case in.op == opOr:
		x |= y
	case in.op == opXor:
		x ^= y
	}
	return tracedValue{place: Place{x, x}}
}

// ownerShift is how many bits of an address are below its owner.
const ownerShift = event.AddrBits - 10
