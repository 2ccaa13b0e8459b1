package machine

import "ravel/internal/event"

// An expectation is that the compare-and-swap of a number expects a value.
type expectation struct {
	number int32
	val    uint64
}

// MayFeed reports whether the read-modify-write of the number to, if it writes, may have read what the write of the number from, to the same location, has written.
//
// Lemma. If a compare-and-swap has read a constant and writes, it expects this constant. So it is not the one of the lemma of mayExpect.
func (h *Ahead) MayFeed(from, to int32) bool {
	in := &h.p.code[h.pcs[to]]
	v, size, ok := h.constant(from)
	return in.op != opCAS || h.p.actions[in.t].RMW != event.CAS || !ok || size != in.size || h.p.layout != nil || in.flags&(flagWide|flagUndef) != 0 || h.mayExpect(to, v)
}

// constant returns the constant that the write of this number stores, and its size; false if it may store something else.
func (h *Ahead) constant(number int32) (v uint64, size uint8, ok bool) {
	in := &h.p.code[h.pcs[number]]
	reg, val := in.b, in.ib
	switch in.op {
	case opStore:
	case opCAS:
		reg, val = in.c, in.ic
		if h.p.actions[in.t].RMW != event.CAS {
			return 0, 0, false
		}
	default:
		return 0, 0, false
	}
	return val, in.size, reg == frameZero && in.flags&(flagWide|flagUndef) == 0
}

// IsRMW reports whether the write of this number is that of a read-modify-write.
func (h *Ahead) IsRMW(number int32) bool {
	op := h.p.code[h.pcs[number]].op
	return op == opRMW || op == opCAS
}

// mayExpect reports whether the compare-and-swap of this number may expect the value v.
//
// Lemma. Let the expected value be register r plus a constant. Suppose that on all ways through the code to the compare-and-swap the thread accesses the address r plus a constant, that r is not
// written after that, and that this address would be no valid one if the expected value were v. Then the expected value is not v.
//
// Proof. An access to an address that is not valid is an error, so the thread would not have come to the compare-and-swap. ∎
//
// It follows the code backwards, through copies of r. (Example: a pointer is expected after a member of what it points to has been read. So it is not null.)
func (h *Ahead) mayExpect(number int32, v uint64) bool {
	key := expectation{number, v}
	may, ok := h.expected[key]
	if !ok {
		if h.expected == nil {
			h.expected = map[expectation]bool{}
		}
		may = h.findExpected(h.pcs[number], v)
		h.expected[key] = may
	}
	return may
}

// A traced is a place that a value was followed back to, without the instruction there: the value is in the register, less a constant.
type traced struct {
	pc  int32
	reg uint16
	off uint64
}

func (h *Ahead) findExpected(at int32, v uint64) bool {
	p := h.p
	h.findPreds()
	in := &p.code[at]
	if in.b == frameZero {
		return in.ib == v
	}
	seen := map[traced]bool{}
	todo := []traced{{at, in.b, in.ib}}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		if _, entry := h.entries[x.pc]; entry || len(h.preds[x.pc]) == 0 || len(seen) > maxTraced {
			return true
		}
		for _, q := range h.preds[x.pc] {
			next, known := h.before(q, x)
			switch {
			case !known:
				return true
			case next.reg == frameZero && next.off == v:
				return true
			case next.reg != frameZero && !h.excludes(q, next, v):
				todo = append(todo, next)
			}
		}
	}
	return false
}

// maxTraced bounds how far a value is followed back.
const maxTraced = 1000

// before returns where the value that is in x after the instruction at q is before it; false if that is not known.
func (h *Ahead) before(q int32, x traced) (traced, bool) {
	in := &h.p.code[q]
	x.pc = q
	switch {
	case in.flags&flagWide != 0:
		return x, false
	case in.op == opMov && in.dst == x.reg:
		x.reg, x.off = in.a, x.off+in.ia
		return x, true
	case in.op == opNop, in.op >= opMov && in.op <= opSLE, in.op >= opJmp && in.op <= opSwitch, in.op >= opLoad && in.op <= opFence:
		kept := true
		h.p.codeDefs(int(q), func(r uint16) { kept = kept && r != x.reg })
		return x, kept
	}
	return x, false
}

// excludes reports whether the instruction at q accesses an address that is not valid if the value that is in x before it is v.
func (h *Ahead) excludes(q int32, x traced, v uint64) bool {
	in := &h.p.code[q]
	switch in.op {
	case opLoad, opStore, opRMW, opCAS:
		return in.a == x.reg && in.flags&flagValid == 0 && !h.p.valid(v-x.off+in.ia, in.size, in.flags)
	}
	return false
}
