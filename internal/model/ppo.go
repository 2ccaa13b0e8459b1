package model

import (
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// A threadPPO has ppo of POWER or ARMv7 within a thread of a graph without holes, from a place on. Rows are sets of earlier events, by their distance from
// that place.
type threadPPO struct {
	from  int32 // the place
	words int   // of a row
	rows  []uint64
}

// The rows of an event: the steps of ppo that lead to it, and the reads that ppo orders before it.
const (
	rowII = iota
	rowIC
	rowCI
	rowCC
	rowPPO
	numRows
)

// row returns a row of the event at place i.
func (o *threadPPO) row(i int32, which int) []uint64 {
	at := (int(i-o.from)*numRows + which) * o.words
	return o.rows[at : at+o.words]
}

// has reports whether ppo has the events at the places i and j.
func (o *threadPPO) has(i, j int32) bool {
	i -= o.from
	return o.row(j, rowPPO)[i>>6]>>(i&63)&1 != 0
}

// A ppoBuilder makes the threadPPO of a thread, event by event.
type ppoBuilder struct {
	*threadPPO
	m      *herdingCats
	g      *graph.Graph
	evs    []graph.ID
	reads  []uint64 // the reads so far
	tested []uint64 // what branches follow that the program does not have
	synced []uint64 // the reads that a branch and an isync follow
}

// build makes o for thread t from a place on.
func (m *herdingCats) build(g *graph.Graph, t, from int32, o *threadPPO) {
	evs := g.Threads[t]
	n := len(evs) - int(from)
	o.from, o.words = from, (n+63)/64
	size := (n*numRows + 3) * o.words
	if cap(o.rows) < size {
		o.rows = make([]uint64, 2*size)
	}
	o.rows = o.rows[:size]
	clear(o.rows)
	sets := o.rows[n*numRows*o.words:]
	w := o.words
	b := ppoBuilder{o, m, g, evs, sets[:w], sets[w : 2*w], sets[2*w:]}
	for i := from; int(i) < len(evs); i++ {
		b.add(i)
	}
}

// add makes the rows of the event at place i, and notes what later ones need.
func (b *ppoBuilder) add(i int32) {
	e := &b.g.Events[b.evs[i]]
	mapping, raw, isync := b.m.mapping(), b.m.raw, b.m.isync()
	if e.Kind == graph.Fence && mapping.tagOf(e) == isync {
		b.isync(i)
	}
	if !isAccess(e) {
		return
	}
	if i > b.from && mapping.ahead(e, raw) == isync {
		b.isync(i - 1)
	}
	b.steps(e, i)
	b.closeSteps(i)
	b.ppo(e, i)
	if e.Kind == graph.Read {
		b.put(b.reads, i)
	}
	if b.m.tested(e) {
		b.put(b.tested, i)
	}
	if mapping.behind(e, raw) == isync {
		b.isync(i)
	}
}

// put adds the event at place i to a set, if it is there.
func (b *ppoBuilder) put(set []uint64, i int32) {
	if i -= b.from; i >= 0 {
		set[i>>6] |= 1 << (i & 63)
	}
}

// putDeps adds what a dependency comes from.
func (b *ppoBuilder) putDeps(set []uint64, deps event.DepSet) {
	members := b.g.Deps.Members(deps)
	for k := len(members) - 1; k >= 0 && members[k] >= b.from; k-- {
		b.put(set, members[k])
	}
}

// isync notes the reads that an isync at place i, or right after it, orders: that one, and those that a branch before it tests.
func (b *ppoBuilder) isync(i int32) {
	e := &b.g.Events[b.evs[i]]
	b.putDeps(b.synced, e.Ctrl)
	before := i - b.from
	for k := range b.synced {
		tested := b.tested[k] & b.reads[k]
		switch first := int32(k) * 64; {
		case first >= before:
			tested = 0
		case before-first < 64:
			tested &= 1<<(before-first) - 1
		}
		b.synced[k] |= tested
	}
	if e.Kind == graph.Read {
		b.put(b.synced, i)
	}
}

// steps adds ii0, ci0 and cc0 of the access e at place i. cc has all of po|loc if it has the last access of the location.
func (b *ppoBuilder) steps(e *graph.Event, i int32) {
	g := b.g
	ii, ci, cc := b.row(i, rowII), b.row(i, rowCI), b.row(i, rowCC)
	for _, deps := range [2]event.DepSet{e.Addr, e.Data} {
		b.putDeps(ii, deps)
	}
	copy(ci, b.synced)
	copy(cc, ii)
	b.putDeps(cc, e.Ctrl)
	b.putDeps(cc, e.AddrPo)
	for k := range cc {
		cc[k] |= b.tested[k]
	}
	if b.m.armv7 && e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 {
		b.put(cc, i-1)
	}
	src := &g.Events[e.RF]
	external := e.Kind == graph.Read && src.Thread != e.Thread
	if e.Kind == graph.Read && src.Thread == e.Thread {
		b.put(ii, src.Index) // rfi
	}
	if b.m.armv7 && (!external || e.RF == graph.Init) {
		return
	}
	for k := i - 1; k >= b.from; k-- {
		x := &g.Events[b.evs[k]]
		if x.Loc != e.Loc || !isAccess(x) {
			continue
		}
		if !b.m.armv7 {
			b.put(cc, k)
		}
		if !external || e.RF == graph.Init {
			return
		}
		if x.Kind == graph.Write && x.Co < src.Co {
			b.put(ci, k) // detour
		} else if x.Kind == graph.Read && g.CoIndex(x.RF) < src.Co {
			b.put(ii, k) // rdw
		}
	}
}

// closeSteps makes ii, ic, ci and cc of the event at place i from ii0, ci0 and cc0 and the rows of earlier events, from the last to the first: what an event
// adds is earlier than it.
func (b *ppoBuilder) closeSteps(i int32) {
	ii, ic, ci, cc := b.row(i, rowII), b.row(i, rowIC), b.row(i, rowCI), b.row(i, rowCC)
	for k := len(ii) - 1; k >= 0; k-- {
		below := ^uint64(0)
		for {
			rest := (ii[k] | ci[k] | cc[k] | ic[k]) & below
			if rest == 0 {
				break
			}
			top := bits.Len64(rest) - 1
			bit := uint64(1) << top
			below = bit - 1
			x := b.from + int32(k)*64 + int32(top)
			iiX, icX, ciX, ccX := b.row(x, rowII), b.row(x, rowIC), b.row(x, rowCI), b.row(x, rowCC)
			if ci[k]&bit != 0 {
				ii[k] |= bit
				cc[k] |= bit
				for n := range k + 1 {
					ii[n] |= icX[n]
					ci[n] |= ccX[n]
				}
			}
			if ii[k]&bit != 0 {
				for n := range k + 1 {
					ii[n] |= iiX[n]
					ci[n] |= ciX[n]
				}
			}
			if cc[k]&bit != 0 {
				for n := range k + 1 {
					ic[n] |= icX[n]
					cc[n] |= ccX[n]
				}
			}
			ic[k] |= bit
			for n := range k + 1 {
				ic[n] |= iiX[n]
				cc[n] |= ciX[n]
			}
		}
	}
}

// ppo makes (ii ∩ R×R) ∪ (ic ∩ R×W) of the access e at place i.
func (b *ppoBuilder) ppo(e *graph.Event, i int32) {
	from := b.row(i, rowII)
	if e.Kind == graph.Write {
		from = b.row(i, rowIC)
	}
	for k, row := 0, b.row(i, rowPPO); k < len(row); k++ {
		row[k] = from[k] & b.reads[k]
	}
}
