package machine

import (
	"fmt"

	"ravel/internal/ir"
)

// enter pushes the frame of the function that in calls, above the live part of the caller's; nil if it can't be called.
func (p *Program) enter(a *Arena, r frame, base int, in *insn, act *Action) *function {
	c := &p.calls[in.t]
	f := &p.funcs[c.fn]
	if in.op == opCallAddr {
		addr := r[in.a] + in.ia
		if f = p.funcAt(addr); f == nil {
			text := fmt.Sprintf("call of address %#x, where no function is", p.seen(addr))
			if p.seen(addr) == 0 {
				text = "call of a null function pointer"
			}
			p.fail(act, in, CallError, text)
			return nil
		}
	}
	if !c.fits {
		if text := c.misfit(f); text != "" {
			p.fail(act, in, CallError, text)
			return nil
		}
	}
	thread := r[frameThread]
	if thread>>depthShift&depthMask >= maxDepth {
		p.endless(act, in, fmt.Sprintf("calls are nested more than %d deep: a recursion that does not end?", maxDepth), "bound the recursion in the program")
		return nil
	}
	// The words from top on are not live, but they may hold arguments: so read each before it is
	// overwritten, by building the frame above the caller's whole one and moving it down.
	above := base + int(in.frame)
	top := base + int(in.live)
	a.reserve(above)
	r, to := a.frame(base), a.frame(above)
	to[frameCode] = uint64(base) << 32
	to[frameThread] = thread + 1<<depthShift
	to[frameClock] = r[frameClock]
	to[frameZero] = 0
	for _, z := range f.zero {
		to[z] = 0
	}
	params := f.params
	if f.va {
		last := len(params) - 1
		if reg := params[last]; reg != noColour {
			to[reg] = 0
			if c.va {
				to[reg] = r[c.args[len(c.args)-1].reg] + c.args[len(c.args)-1].imm
			}
		}
		params = params[:last]
	}
	for i, reg := range params {
		if reg != noColour {
			to[reg] = r[c.args[i].reg] + c.args[i].imm
		}
	}
	if p.shadows != nil {
		to[frameDeps] = r[frameDeps]
		if p.arms {
			to[frameOpen] = a.join(r[frameOpen], r[c.open])
		}
		passShadows(to, f.shadows, r, c.deps, len(params), c.va)
	}
	if p.masks != nil {
		passShadows(to, f.masks, r, c.masks, len(params), c.va)
	}
	copy(a.words[top:], a.words[above:above+int(f.frame)])
	return f
}

// passShadows gives the shadows of parameters, n of which have arguments of their own, those of the arguments.
func passShadows(to frame, params []uint16, from frame, args []uint16, n int, va bool) {
	for i, reg := range params {
		if reg == noColour {
			continue
		}
		if to[reg] = 0; i < n {
			to[reg] = from[args[i]]
		} else if va {
			to[reg] = from[args[len(args)-1]]
		}
	}
}

// misfit says why the call is not one of f, "" if it is. To be called in any other way than through a type of the same parameters
// is undefined in C; a function with variable arguments may be, and then gets none.
func (c *call) misfit(f *function) string {
	have, want := len(c.args), len(f.params)
	if c.va {
		have--
	}
	if f.va {
		want--
	}
	if have < want || len(c.results) > f.results {
		return fmt.Sprintf("call of `%s` with %d arguments and %d results, where it has %d and %d", f.name, have, len(c.results), want, f.results)
	}
	if c.sig != f.sig && c.sig != "" && f.sig != "" && (c.va || !f.va) {
		return fmt.Sprintf("call of `%s` as a function with parameters %s, where it has %s", f.name, ir.SigWords(c.sig), ir.SigWords(f.sig))
	}
	return ""
}

// leave returns from the frame at base to its parent, which is copied first if it belongs to a state.
func (p *Program) leave(a *Arena, base, parent, mark int, in *insn) int {
	r := a.frame(base)
	ret := p.rets[in.t]
	at := parent
	up := a.frame(parent)
	c := &p.calls[p.code[uint32(up[frameCode])].t]
	clock, thread := r[frameClock], r[frameThread]
	var small [8]uint64
	vals := small[:0]
	for i := range c.results {
		vals = append(vals, r[ret[i].reg]+ret[i].imm)
	}
	var word uint64
	if p.shadows != nil {
		word = r[frameDeps]
		for i := range c.results {
			vals = append(vals, r[p.retDeps[in.t][i]])
		}
	}
	masks := len(vals)
	if p.masks != nil {
		for i := range c.results {
			vals = append(vals, r[p.retMasks[in.t][i]])
		}
	}
	if parent < mark {
		at = mark
		n := int(p.code[uint32(up[frameCode])].live)
		copy(a.words[at:at+n], up[:n])
		up = a.frame(at)
	}
	up[frameClock] = clock
	up[frameThread] = thread - 1<<depthShift
	for i, res := range c.results {
		up[res] = vals[i]
	}
	if p.shadows != nil {
		up[frameDeps] = word
		for i, res := range c.depResults {
			up[res] = vals[len(c.results)+i]
		}
	}
	for i, res := range c.maskResults {
		up[res] = vals[masks+i]
	}
	return at
}

// slotFor returns the slot of an object that a thread allocates; -1 if there is none.
func (p *Program) slotFor(thread, size, align uint64, site uint32) int {
	if size > p.space.SlotSize()*uint64(p.space.TLSSlot()) {
		return -1
	}
	owner, n := int(thread&threadMask)+1, p.space.Slots(size)
	for slot := p.space.Place(int(thread>>slotShift), align); slot+n <= p.space.TLSSlot(); slot = p.space.Place(slot+1, align) {
		if p.layout == nil || !p.layout.foreign(p.space.Make(owner, slot), p.space.Make(owner, slot+n), site) {
			return slot
		}
	}
	return -1
}

// siteFrames is how many frames tell the sites of allocations in the heap apart: enough to leave the library.
const siteFrames = 4

// site returns the Site of an Alloc of size bytes. Its instruction tells which variable on the stack it is, and the frames above it which type on the heap.
func (p *Program) site(a *Arena, r frame, in *insn, size uint64) uint32 {
	const prime = 16777619 // of FNV-1
	h := (uint32(in.t)*prime ^ uint32(size)) * prime
	if in.op == opAlloc {
		for range siteFrames {
			up := r[frameCode] >> 32
			if up == 0 {
				break
			}
			r = a.frame(int(up))
			h = (h ^ uint32(r[frameCode])) * prime
		}
	}
	return h | 1
}

// allocate gives the thread its next slots.
func (p *Program) allocate(a *Arena, r frame, in *insn, act *Action) {
	size, align := r[in.a]+in.ia, r[in.c]+in.ic
	thread := r[frameThread]
	if align > p.space.MaxAlign() {
		p.fail(act, in, Unsupported, fmt.Sprintf("an object with an alignment of %d bytes: at most %d are supported", align, p.space.MaxAlign()))
		return
	}
	act.Site = p.site(a, r, in, size)
	slot := p.slotFor(thread, size, align, act.Site)
	if slot < 0 {
		p.fail(act, in, Unsupported, fmt.Sprintf("a thread allocates too much: at most %d objects of up to %d bytes have addresses", p.space.TLSSlot(), p.space.SlotSize()))
		return
	}
	act.Addr = p.space.Make(int(thread&threadMask)+1, slot)
	act.Val.Lo, act.N = size, int(align)
	if in.op == opAlloc {
		how := uint32(r[in.b] + in.ib)
		act.Zeroed, act.Family = how&1 != 0, Family(how>>1)
	} else {
		r[in.dst] = p.seen(uint64(act.Addr))
	}
	r[frameThread] = thread&(1<<slotShift-1) | uint64(slot+p.space.Slots(size))<<slotShift
}
