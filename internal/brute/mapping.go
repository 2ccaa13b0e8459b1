package brute

import "ravel/internal/event"

// How C11 is compiled. na is as rlx, which is a plain instruction; else
//
//	       ARMv8            Power (and ARMv7)           RISCV
//	load   acq LDAPR        acq ld; isync               acq l; fence r,rw
//	       sc  LDAR         sc  sync; ld; isync         sc  fence rw,rw; l; fence r,rw
//	store  rel STLR         rel lwsync; st              rel fence rw,w; s
//	       sc  STLR         sc  sync; st                sc  fence rw,w; s
//	RMW    LDXR; STXR       lwarx; stwcx.; bne          lr; sc; bnez
//	       acq LDAXR        acq isync after it          acq lr.aq
//	       rel STLXR        rel lwsync before it        rel sc.rl
//	       sc  both         sc  sync before, isync      sc  lr.aqrl; sc.rl
//	                            after it
//	fence  acq DMB LD       acq, rel, acqrel lwsync     acq r,rw   rel rw,w
//	       others DMB SY    sc  sync                    acqrel tso sc  rw,rw
//
// ARMv7 has dmb for sync and lwsync, and isb for isync. isync comes after a branch that tests what was
// read. A failed CAS is an exclusive load with the failure mode, and what the CAS has before it
// for success is left out.
//
// A read-modify-write is a loop of exclusives. On Power, ARMv7 and RISCV, what follows has a control
// dependency on it, because of the branch at the loop's end: from the read; on RISCV from the write, whose
// result it tests. On ARMv8 it has not: the result of a store-exclusive carries no dependency
// (Pulte et al., PLDI'19), and LSE instructions, which have no branch, are used as often. What an LSE
// instruction with both A and L orders in addition is not used either. But a CAS has a
// dependency everywhere, through its comparison (Event.Ctrl).
//
// A tag stands for one instruction, as it is, with any mapping and in the raw models: A on a read-modify-write
// is for its read, L for its write. In the raw models a read-modify-write has no branch, but that
// of a CAS. Fences of other architectures do nothing, and in C11 models what is tagged is rlx.
//
// Sources: ARMv8, Power, ARMv7: Batty et al., "Clarifying and compiling C/C++ concurrency" (POPL'12, with
// leading fences), Podkopaev et al. (POPL'19). RISCV: table A.6 of the unprivileged manual (2019).

// A mapping is the part of this that is done with fences. They are not events of the graph:
// a barrier stands in the gap before or after an event.
type mapping struct {
	fence         func(m event.Mode) event.Tag // what a C11 fence becomes
	before, after func(e Event) event.Tag      // what stands around an access, or NoTag
}

// A barrier is a fence at a place of a thread: an event i is at 2i, so that
// 2i-1 is just before it and 2i+1 just after it.
type barrier struct {
	at  int
	tag event.Tag
}

// barriers returns the fences of the program and, unless raw, those that
// the mapping puts around accesses: around a read-modify-write as a whole.
func (g *graph) barriers(m mapping, raw bool) []barrier {
	var bs []barrier
	put := func(at int, tag event.Tag) {
		if tag != event.NoTag {
			bs = append(bs, barrier{at, tag})
		}
	}
	for i, e := range g.evs {
		switch {
		case e.Kind == F && e.Tag != event.NoTag:
			put(2*i, e.Tag)
		case e.Kind == F && e.Mode > event.Rlx:
			put(2*i, m.fence(e.Mode))
		case e.Kind == F || raw || e.Tag != event.NoTag || g.init.has(i):
		default:
			if !(e.Kind == W && e.Locked) {
				put(2*i-1, m.before(e))
			}
			if g.rmw[i] == 0 {
				put(2*i+1, m.after(e))
			}
		}
	}
	return bs
}

// across is po between accesses from before to after a barrier with one of the tags.
func (g *graph) across(bs []barrier, tags ...event.Tag) (r rel) {
	for _, b := range bs {
		for _, tag := range tags {
			if b.tag != tag {
				continue
			}
			for i := range g.evs {
				for j := range g.evs {
					if g.po.has(i, j) && 2*i < b.at && b.at < 2*j {
						r.add(i, j)
					}
				}
			}
		}
	}
	return and(r, cross(g.r|g.w, g.r|g.w))
}

// threads relates the accesses before a thread is started or has ended to those after that: it is a full fence.
func (g *graph) threads() rel {
	order := plus(or(g.po, g.ts))
	return and(seq(order, id(g.sync), order), cross(g.r|g.w, g.r|g.w))
}

// tagged are the events of a set with one of the tags.
func (g *graph) tagged(s set, tags ...event.Tag) (t set) {
	for i, e := range g.evs {
		for _, tag := range tags {
			if s.has(i) && e.Tag == tag {
				t |= 1 << i
			}
		}
	}
	return t
}

// untagged are the accesses that the mapping translates by their modes: none if raw.
func (g *graph) untagged(raw bool) set {
	if raw {
		return 0
	}
	return g.tagged(g.r|g.w, event.NoTag) &^ g.init
}

func noTag(Event) event.Tag { return event.NoTag }
