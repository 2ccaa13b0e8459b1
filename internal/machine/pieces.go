package machine

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// A plain access that is not one location, because it is misaligned or because the layout says so, is
// performed in pieces, low address first. While it lasts the phase of the thread is inPieces plus
// the number of bytes done; a load collects them in its result register.
const inPieces = 0x80

func phase(r frame) (done uint8) { return uint8(r[frameThread]>>phaseShift) &^ inPieces }

func setPhase(r frame, done uint8) {
	r[frameThread] = r[frameThread]&^phaseMask | uint64(inPieces|done)<<phaseShift
}

func clearPhase(r frame) { r[frameThread] &^= phaseMask }

// loads returns which location has the byte at addr+done of a load of size bytes, and how many of its bytes
// the load wants.
func (p *Program) loads(addr event.Addr, size, done uint8) (g Granule, n uint8) {
	at := addr + event.Addr(done)
	if g, ok := p.layout.At(at); ok {
		return g, uint8(min(g.end(), addr+event.Addr(size)) - at)
	}
	n = p.layout.Piece(at, size-done)
	return Granule{Addr: at, Size: n}, n
}

// extract returns the n bytes of v, the value of a granule, that begin at addr, and which of their bits are undefined.
func extract(g Granule, v event.Value, addr event.Addr, n uint8) event.Value {
	shift := 8 * uint64(addr-g.Addr)
	if g.Size > 8 {
		return event.Value{Lo: arith.ShiftPair(ir.LShr, v, pair{Lo: shift}, 128).Lo & arith.Mask(8*n)}
	}
	return event.Value{Lo: v.Lo >> shift, Hi: v.Hi >> shift}.Mask(n)
}

// loadPiece makes act, a load, the load of its next piece.
func (p *Program) loadPiece(r frame, in *insn, pc int, act *Action) {
	if in.flags&flagPlain == 0 {
		p.wholeGranule(in, act)
		return
	}
	done := phase(r)
	g, _ := p.loads(act.Addr, in.size, done)
	if g.Addr == act.Addr && g.Size == in.size {
		return
	}
	if done == 0 {
		r[in.dst] = 0
		if in.flags&flagUndef != 0 {
			r[p.masks[pc].dst] = 0
		}
	}
	setPhase(r, done)
	act.Addr, act.Size = g.Addr, g.Size
}

// loadedPiece takes the value of a piece and reports whether the load is complete, and whether it got an undefined bit that
// nothing keeps track of.
func (p *Program) loadedPiece(r frame, in *insn, pc int, v event.Value) (complete, untracked bool) {
	done := phase(r)
	addr := event.Addr(r[in.a] + in.ia)
	g, n := p.loads(addr, in.size, done)
	v = extract(g, v, addr+event.Addr(done), n)
	r[in.dst] |= v.Lo << (8 * done)
	if in.flags&flagUndef != 0 {
		r[p.masks[pc].dst] |= v.Hi << (8 * done)
		v.Hi = 0
	}
	return p.advance(r, in, done+n), v.Hi != 0
}

func (p *Program) advance(r frame, in *insn, done uint8) bool {
	if done >= in.size {
		clearPhase(r)
		return true
	}
	setPhase(r, done)
	return false
}

// storePiece makes act, a store, the store of its next piece. One into a part of a granule is left as it is, unless the granule is whole:
// the engine sees that they overlap, and cuts the granule.
func (p *Program) storePiece(r frame, in *insn, act *Action) {
	if in.flags&flagPlain == 0 {
		p.wholeGranule(in, act)
		return
	}
	done := phase(r)
	at := act.Addr + event.Addr(done)
	n := p.layout.Piece(at, in.size-done)
	if n == in.size {
		p.storePart(act)
		return
	}
	setPhase(r, done)
	act.Addr, act.Size = at, n
	act.Val = event.Value{Lo: act.Val.Lo >> (8 * done), Hi: act.Val.Hi >> (8 * done)}.Mask(n)
	p.storePart(act)
}

// storePart makes act, a store of at most 8 bytes, one of the whole granule that it is in, if it is in one.
func (p *Program) storePart(act *Action) {
	g, ok := p.layout.At(act.Addr)
	if !ok || !g.Whole || g.Size == act.Size {
		return
	}
	shift, bits := 8*uint64(act.Addr-g.Addr), arith.Mask(8*act.Size)
	if g.Size > 8 {
		act.Val = arith.ShiftPair(ir.Shl, pair{Lo: act.Val.Lo}, pair{Lo: shift}, 128)
		act.Exp = arith.ShiftPair(ir.Shl, pair{Lo: bits}, pair{Lo: shift}, 128)
	} else {
		act.Val = event.Value{Lo: act.Val.Lo << shift, Hi: act.Val.Hi << shift}
		act.Exp = event.Value{Lo: bits << shift, Hi: bits << shift}
	}
	act.Addr, act.Size, act.Part = g.Addr, g.Size, true
}

func (p *Program) storedPiece(r frame, in *insn) bool {
	done := phase(r)
	n := p.layout.Piece(event.Addr(r[in.a]+in.ia)+event.Addr(done), in.size-done)
	return p.advance(r, in, done+n)
}

// wholeGranule makes act an error if it is an atomic access of more than one granule. One of a part of a
// granule is left as it is: the engine sees that they overlap, and cuts the granule.
func (p *Program) wholeGranule(in *insn, act *Action) {
	end := act.Addr + event.Addr(in.size)
	for at := act.Addr; at < end; at++ {
		if g, ok := p.layout.At(at); ok && (g.Addr > act.Addr || g.end() < end) {
			addr := act.Addr
			p.fail(act, in, Unsupported, fmt.Sprintf("mixed-size atomic access: %d bytes at %s, which are accessed as %d bytes at %s elsewhere",
				in.size, p.place(addr), g.Size, p.place(g.Addr)))
			act.Addr = addr
			return
		}
	}
}

func (p *Program) place(addr event.Addr) string {
	if g, off := p.Object(addr); g != nil {
		return fmt.Sprintf("`%s`+%d", g.Name, off)
	}
	return fmt.Sprintf("%#x", uint64(addr))
}

// A MemCpy goes chunk by chunk: dst is how many bytes are copied, dst2 collects a chunk, u which of its bits are undefined, and
// the phase is how many bytes of it are loaded. If the destination overlaps the end of the source it goes backwards.

// copies returns the next chunk of a copy.
func (p *Program) copies(r frame, in *insn) (to, from event.Addr, n uint8) {
	to, from = event.Addr(r[in.a]+in.ia), event.Addr(r[in.b]+in.ib)
	length, moved := r[in.c]+in.ic, r[in.dst]
	left := length - moved
	if to > from && uint64(to-from) < length {
		for n = backAlign(to+event.Addr(left), from+event.Addr(left), left); n > 1 && p.layout.Piece(to+event.Addr(left)-event.Addr(n), n) != n; {
			n /= 2
		}
		back := event.Addr(left - uint64(n))
		return to + back, from + back, n
	}
	to += event.Addr(moved)
	from += event.Addr(moved)
	n = natural(from, natural(to, 8, left), left)
	if g, ok := p.layout.At(to); ok && g.Addr == to && g.Size <= 8 && uint64(g.Size) <= left {
		return to, from, g.Size
	}
	return to, from, p.layout.Piece(to, n)
}

// backAlign returns the size of the chunk that ends at the two addresses.
func backAlign(to, from event.Addr, left uint64) uint8 {
	n := uint8(8)
	for uint64(n) > left || (to|from)&event.Addr(n-1) != 0 {
		n /= 2
	}
	return n
}

// overlap says what is wrong with a copy of n bytes between objects that must not overlap; "" if nothing. A struct may be assigned to itself.
func overlap(to, from, n uint64) string {
	d := max(to, from) - min(to, from)
	if d == 0 || d >= n {
		return ""
	}
	return fmt.Sprintf("memcpy of %d bytes between places that are %d bytes apart: they overlap", n, d)
}

// copyPiece makes act the next access of a copy, and reports whether the copy is complete.
func (p *Program) copyPiece(r frame, in *insn, act *Action) (complete bool) {
	if r[frameThread]&phaseMask == 0 {
		r[in.dst], r[in.dst2], r[in.u] = 0, 0, 0
		if in.flags&flagCheck != 0 {
			if text := overlap(r[in.a]+in.ia, r[in.b]+in.ib, r[in.c]+in.ic); text != "" {
				p.fail(act, in, MemoryError, text)
				return false
			}
		}
	}
	if r[in.dst] >= r[in.c]+in.ic {
		clearPhase(r)
		return true
	}
	*act = p.actions[in.t]
	done := phase(r)
	to, from, n := p.copies(r, in)
	if done < n {
		if !p.valid(uint64(from), n, flagPlain) {
			act.Kind, act.Addr, act.Size, act.Error = Fail, from, n, p.fault(uint64(from), n, flagPlain)
			return false
		}
		g, _ := p.loads(from, n, done)
		act.Kind, act.Addr, act.Size = Load, g.Addr, g.Size
	} else {
		p.storeChunk(act, to, n, event.Value{Lo: r[in.dst2], Hi: r[in.u]})
	}
	setPhase(r, done)
	return false
}

func (p *Program) storeChunk(act *Action, to event.Addr, n uint8, v event.Value) {
	if !p.valid(uint64(to), n, flagPlain|flagWrite) {
		act.Kind, act.Addr, act.Size, act.Error = Fail, to, n, p.fault(uint64(to), n, flagPlain|flagWrite)
		return
	}
	act.Kind, act.Addr, act.Size, act.Val = Store, to, n, v.Mask(n)
	p.storePart(act)
}

// setPiece makes act the next store of a MemSet, and reports whether it is complete.
func (p *Program) setPiece(r frame, in *insn, pc int, act *Action) (complete bool) {
	if r[frameThread]&phaseMask == 0 {
		r[in.dst] = 0
	}
	if r[in.dst] >= r[in.c]+in.ic {
		clearPhase(r)
		return true
	}
	*act = p.actions[in.t]
	to, n := p.sets(r, in)
	v := event.Value{Lo: (r[in.b] + in.ib) & 0xff * 0x0101010101010101}
	if in.flags&flagUndef != 0 {
		v.Hi = r[p.masks[pc].data] & 0xff * 0x0101010101010101
	}
	p.storeChunk(act, to, n, v)
	setPhase(r, 0)
	return false
}

func (p *Program) sets(r frame, in *insn) (to event.Addr, n uint8) {
	to = event.Addr(r[in.a] + in.ia + r[in.dst])
	return to, p.layout.Piece(to, uint8(min(8, r[in.c]+in.ic-r[in.dst])))
}

// moved takes the result of the last access of a MemCpy or MemSet.
func (p *Program) moved(r frame, in *insn, v event.Value) {
	if in.op == opMemSet {
		_, n := p.sets(r, in)
		r[in.dst] += uint64(n)
		r[frameClock] += effectOne
		return
	}
	done := phase(r)
	_, from, n := p.copies(r, in)
	if done < n {
		g, k := p.loads(from, n, done)
		v = extract(g, v, from+event.Addr(done), k)
		r[in.dst2] |= v.Lo << (8 * done)
		r[in.u] |= v.Hi << (8 * done)
		setPhase(r, done+k)
		return
	}
	r[in.dst] += uint64(n)
	r[in.dst2], r[in.u] = 0, 0
	r[frameClock] += effectOne
	setPhase(r, 0)
}
