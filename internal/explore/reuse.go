package explore

import (
	"cmp"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Memory that is allocated again.
//
// An allocation a may return a block that was freed before. This is a choice as that of the write that a read reads: a new block, or the block of an event f, a
// Free that happens before a (Event.RF of a). The block is then a new object, with locations of its own: its incarnation (event.Addr) tells it from the former
// ones, which follow each other in hb. An access means the last incarnation whose Alloc is in its prefix. Any other access of the block is an error: of
// freed memory, or of memory whose allocation does not happen before it.
//
// Constraint. No two allocations return the block of the same f.
//
// Lemma 1. Each execution is explored once. Proof: f is in the prefix of a, so addresses do not depend on the order of exploration, and no revisit keeps a without f. The
// constraint is one on executions, whichever of the two allocations was added first. A revisit deletes a only if a has a new block, the choice that is
// always possible: so a is maximal in one way only. ∎
//
// Only a program that still has an address of the old object can tell which block it is given. So other blocks are not tried: see findStale, Lemma 2.

// A block is one that was freed.
type block struct {
	free  graph.ID
	base  event.Addr
	size  uint64
	known bool // the program may still have an address of it
}

// reusable returns the Free events of the blocks that the allocation that t is at may return, apart from a new one, by their addresses. It reports whether no block that was freed before is known.
func (w *worker) reusable(t int32, act *machine.Action) (ids []graph.ID, forgotten bool) {
	if act.Stack || w.opts.NoReuse {
		return nil, false
	}
	blocks := w.freedBlocks(t)
	if len(blocks) == 0 {
		return nil, true
	}
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.base, b.base) })
	w.findStale(t, blocks)
	g := w.g
	forgotten = true
	for _, b := range blocks {
		l := &g.Locs[g.Events[b.free].Loc]
		forgotten = forgotten && !b.known
		switch old := l.Addr; {
		case !b.known || !event.SameClass(act.Val.Lo, b.size) || act.N > 1 && uint64(old)%uint64(act.N) != 0:
		case slices.Contains(w.apart, b.base) || old.Incarnation()+1 == event.MaxIncarnations || w.builds:
			w.leavesReuse()
		default:
			ids = append(ids, b.free)
		}
	}
	return ids, forgotten
}

// freedBlocks returns the blocks that were freed before the next event of thread t, and not allocated again. By Lemma 3, it leaves out those of which t has found at an earlier allocation that they are not known.
func (w *worker) freedBlocks(t int32) []block {
	g := w.g
	view := w.freedBefore(&g.Events[g.Last(t)])
	var done graph.View
	evs := g.Threads[t]
	i := len(evs) - 1
	for i > 0 && !(g.Events[evs[i]].Kind == graph.Alloc && g.Events[evs[i]].Memo != 0) {
		i--
	}
	if i > 0 {
		done = w.freedBefore(&g.Events[evs[i-1]])
	}
	var blocks []block
	for u, frees := range g.Freed {
		for k := len(frees) - 1; k >= 0; k-- {
			e := &g.Events[frees[k]]
			if int32(u) == t && int(e.Index) < i || int32(u) != t && e.Index < g.Count(done, int32(u)) {
				break
			}
			if int32(u) != t && e.Index >= g.Count(view, int32(u)) {
				continue
			}
			if l := &g.Locs[e.Loc]; l.Again == graph.None {
				blocks = append(blocks, block{free: frees[k], base: l.Addr.Visible(), size: g.Events[l.Alloc].Val.Lo})
			}
		}
	}
	return blocks
}

// freedBefore returns what happens before the event that follows pred in its thread.
func (w *worker) freedBefore(pred *graph.Event) graph.View {
	if w.deps == nil {
		return w.m.RaceView(pred)
	}
	return pred.Prefix
}

// mayReuse reports whether the allocation at place i of thread t might return a freed block, in an exploration with cycles in po ∪ rf.
func (w *worker) mayReuse(t, i int32, act *machine.Action) bool {
	g := w.g
	if act.Stack || w.opts.NoReuse {
		return false
	}
	for u, frees := range g.Freed {
		for _, id := range frees {
			e := &g.Events[id]
			if (int32(u) != t || e.Index < i) && event.SameClass(act.Val.Lo, g.Events[g.Locs[e.Loc].Alloc].Val.Lo) {
				return true
			}
		}
	}
	return false
}

// leavesReuse notes that an allocation is not given a freed block which it might be given: in explorations with cycles in po ∪ rf, where
// an access has no prefix by which to tell which incarnation it means, and where keepApart says so.
func (w *worker) leavesReuse() {
	w.notExplored("not every freed block was allocated again where it might have been (--no-reuse: none is)")
}

// sharesLayout reports whether the layout of the block that addr is in has to do with other objects than the one that thread t accesses there: the
// machine has one layout for all incarnations.
func (w *worker) sharesLayout(t int32, addr event.Addr) bool {
	base := w.base(addr.Visible())
	return w.incarnate(t, addr).Incarnation() > 0 || slices.ContainsFunc(w.recut, func(a event.Addr) bool { return w.base(a) == base })
}

// cutAtEnd is asked when an access of thread t begins at addr, n bytes before the end of an object, and goes beyond it. If that is so because it accesses
// a granule of another object in the same block, it has the program explored again with a finer layout, and returns true.
func (w *worker) cutAtEnd(t int32, addr event.Addr, n uint64) bool {
	if !w.sharesLayout(t, addr) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	layout := w.layout.Clone()
	for size := uint8(8); size > 0; size /= 2 {
		if uint64(size) <= n {
			layout.Add(addr, size, w.siteOf(addr))
			break
		}
	}
	return w.useLayout(layout, addr)
}

// keepApart is asked when thread t can't access addr because there are atomic accesses of different sizes. If that is so because the block that
// addr is in was allocated again, it has the program explored again without that, and returns true.
func (w *worker) keepApart(t int32, addr event.Addr) bool {
	if !w.sharesLayout(t, addr) {
		return false
	}
	base := w.base(addr.Visible())
	w.startAgain(func(r *run) {
		r.apart, r.layout, r.recut = append(slices.Clip(r.apart), base), &machine.Layout{}, nil
	})
	return true
}

// incarnate returns addr in the incarnation that the event which thread t is at means: the last one whose Alloc is in its prefix.
func (w *worker) incarnate(t int32, addr event.Addr) event.Addr {
	g := w.g
	obj, ok := g.Find(w.base(addr), 0)
	if !ok {
		return addr
	}
	pred := &g.Events[g.Last(t)]
	for again := g.Locs[obj].Again; again != graph.None && g.InPrefix(again, pred); again = g.Locs[obj].Again {
		obj = g.Events[again].Loc
	}
	return addr.Incarnate(g.Locs[obj].Addr.Incarnation())
}

// findStale finds out of which blocks an address may still be known when thread t, which is at an allocation, has got a block. If of none, then
// executions in which it gets this block differ from those in which it gets a new one by the names of addresses only.
//
// Definition. Let P be the prefix of the allocation. A thread remembers a block if it has not ended in P and, after its last event in P, an address of the block
// is in a live register or in its next action. A write w ∈ P keeps a block if it writes an address of it, unless its location is in an object that was freed in P,
// or w is not atomic, its thread has overwritten it in P, also not atomically, and races are errors. A block is known if a thread remembers it or a write keeps it.
//
// Lemma 2. If a block is not known, no thread gets an address of the old object after P, unless there is an error.
//
// Proof. What a thread does after P depends on what it remembers and on what it reads. Let r be the first read outside of P that returns an
// address of the old object, and w the write that it reads. w ∈ P, since no thread could have written the address later. w does not keep the block. If the location was
// freed in P, r is a use after free. If w was overwritten in P, r races with that write: r does not happen before it, or r would be in P. ∎
//
// Lemma 3. A block that is not known at an allocation a is not known at a later allocation of the same thread, unless there is an error. Proof: by Lemma 2, what comes after P has no address of the old object, so neither does what a
// thread remembers or writes there. ∎ A number that only looks like an address is no reason to look again.
//
// Lemma 4. No event has an address of an object unless its Alloc event, or one of the same block before it, is in its prefix or is itself. So only such events are looked at.
//
// The criterion depends on P only, as it must: what other threads happen to have done when the allocation is added does not
// matter. It looks at values: see.
func (w *worker) findStale(t int32, blocks []block) {
	g := w.g
	s := staleness{worker: w, pred: &g.Events[g.Last(t)], blocks: blocks}
	for u, evs := range g.Threads {
		n := int(g.Count(s.pred.Prefix, int32(u)))
		if int32(u) == t {
			n = len(evs)
		}
		if n == 0 || !s.unknown() {
			continue
		}
		if g.Events[evs[n-1]].Kind != graph.End {
			at := w.cur[u]
			if n < len(evs) {
				at = g.Events[evs[n]].Pend
			}
			s.seeThread(&w.pends[at])
		}
		s.seeWrites(evs[:n], s.firstThatKnows(evs[:n]))
	}
}

// firstThatKnows returns the place of the first of the events of a thread that may have an address of a freed block, by Lemma 4.
func (s *staleness) firstThatKnows(evs []graph.ID) int {
	g := s.g
	first := len(evs)
	for _, b := range s.blocks {
		alloc := g.Locs[g.Events[b.free].Loc].Alloc
		if g.Events[alloc].RF != graph.None || s.builds {
			return 0
		}
		n, _ := slices.BinarySearchFunc(evs[:first], alloc, func(id, alloc graph.ID) int {
			if g.InPrefix(alloc, &g.Events[id]) {
				return 1
			}
			return -1
		})
		first = n
	}
	return first
}

// staleness is a search for addresses of freed blocks.
type staleness struct {
	*worker
	pred   *graph.Event // of the allocation
	blocks []block
}

// unknown reports whether there is a block that is not known to be known.
func (s *staleness) unknown() bool {
	return slices.ContainsFunc(s.blocks, func(b block) bool { return !b.known })
}

// seeThread looks at a thread that is stopped at p.
func (s *staleness) seeThread(p *pending) {
	for _, word := range [...]uint64{uint64(p.act.Addr), p.act.Val.Lo, p.act.Val.Hi, p.act.Exp.Lo, p.act.Exp.Hi} {
		s.see(word)
	}
	s.freezing.Do(func() { s.freezer = s.prog.NewFreezerOnDemand() })
	part := machine.Stopped
	for f := p.state; f != 0; part = machine.Caller {
		s.words, f = s.freezer.Top(&s.arena, f, part, s.words[:0])
		for _, word := range s.words[2:] { // after the place in the program
			s.see(word)
		}
	}
}

// seeWrites looks at what the first events of a thread, from one on, have written, and with what they have created threads that have no event in P.
func (s *staleness) seeWrites(evs []graph.ID, from int) {
	g := s.g
	s.epoch++
	for i := len(evs) - 1; i >= from; i-- {
		switch e := &g.Events[evs[i]]; e.Kind {
		case graph.Write:
			if !s.isGone(e) {
				s.seeWrite(evs, i)
			}
		case graph.Create:
			if child := int32(e.Val.Lo); child != s.pred.Thread && g.Count(s.pred.Prefix, child) == 0 {
				s.see(s.pends[e.Pend].act.Val.Lo)
			}
		case graph.End:
			if e.Co == 0 {
				s.see(e.Val.Lo) // for who joins it
			}
		}
	}
}

// isGone reports whether no thread can read what e writes any more, provided that there is no error. Of each thread, it is asked about the last write first.
func (s *staleness) isGone(e *graph.Event) bool {
	g := s.g
	if obj := s.object[e.Loc]; obj >= 0 {
		if f := g.Locs[obj].Free; f != graph.None && g.InPrefix(f, s.pred) {
			return true
		}
	} else if owner := g.Locs[e.Loc].Addr.Owner() - 1; owner >= 0 { // a thread-local variable
		if end := s.ended(uint64(owner)); end != graph.None && g.InPrefix(end, s.pred) {
			return true
		}
	}
	if e.Mode != event.NA || !s.races || s.java != nil {
		return false
	}
	for int(e.Loc) >= len(s.overwritten) {
		s.overwritten = append(s.overwritten, 0)
	}
	gone := s.overwritten[e.Loc] == s.epoch
	s.overwritten[e.Loc] = s.epoch
	return gone
}

// seeWrite looks at the value of the write evs[i].
func (s *staleness) seeWrite(evs []graph.ID, i int) {
	e := &s.g.Events[evs[i]]
	l := &s.g.Locs[e.Loc]
	switch {
	case l.Size == 16:
		s.seeStored(e.Val.Hi)
		fallthrough
	case l.Size == 8:
		s.seeStored(e.Val.Lo)
	case l.Size == 4 && s.prog.Space() == event.Narrow:
		s.see(e.Val.Lo)
	default:
		s.seePieces(evs, i)
	}
}

// seePieces looks at the word that the write evs[i], of less than a word, is a piece of: those with the others are near. It does so for the piece with byte 2.
func (s *staleness) seePieces(evs []graph.ID, i int) {
	const near = 16 // writes of pieces alternate with reads in a copy
	e := &s.g.Events[evs[i]]
	l := &s.g.Locs[e.Loc]
	start := l.Addr &^ 7
	if done, ok := s.prog.AtPiece(&s.arena, s.pends[e.Pend].state); ok {
		start = l.Addr - event.Addr(done)
	}
	if start+2 < l.Addr || start+2 >= l.Addr+event.Addr(l.Size) {
		return
	}
	var word uint64
	var have uint8 // bytes
	for _, id := range evs[max(i-near, 0):min(i+near, len(evs))] {
		e := &s.g.Events[id]
		if e.Kind != graph.Write {
			continue
		}
		l := &s.g.Locs[e.Loc]
		if at := l.Addr - start; at < 8 && at+event.Addr(l.Size) <= 8 {
			word |= e.Val.Lo << (8 * at)
			have |= (1<<l.Size - 1) << at
		}
	}
	if have&0x3f == 0x3f {
		s.seeAddress(s.prog.Pointer(word))
	}
}

// see looks at a word that somebody may still have: an address, with tags in the upper bits or shifted up to make room for some, its complement or its negative, or a number.
// It reports whether it is an address of a freed block.
func (s *staleness) see(word uint64) bool {
	small := s.prog.Space().NullSize()
	if word < small || -word < small {
		return false
	}
	found := s.seeAddress(s.prog.Pointer(word)) || s.seeAddress(s.prog.Pointer(^word)) || s.seeAddress(s.prog.Pointer(-word))
	for shift := 1; word>>event.AddrBits != 0 && shift <= 64-event.AddrBits && !found; shift++ {
		found = s.seeAddress(s.prog.Pointer(word >> shift))
	}
	return found
}

// seeStored is see for a word in memory. A large one that is neither an address nor too large for one may have been computed from addresses, as the links
// of a list by exclusive or are: that may be of any block.
func (s *staleness) seeStored(word uint64) {
	if s.see(word) || word < 1<<32 || word>>event.AddrBits != 0 || s.isAddress(s.prog.Pointer(word)) {
		return
	}
	for i := range s.blocks {
		s.blocks[i].known = true
	}
}

// seeAddress reports whether a is an address of a freed block, which is known then.
func (s *staleness) seeAddress(a event.Addr) bool {
	i, found := slices.BinarySearchFunc(s.blocks, a, func(b block, a event.Addr) int { return cmp.Compare(b.base, a) })
	if !found {
		i--
	}
	if i < 0 || uint64(a-s.blocks[i].base) > s.blocks[i].size {
		return false
	}
	s.blocks[i].known = true
	return true
}

// isAddress reports whether a is the address of something else than a freed block.
func (s *staleness) isAddress(a event.Addr) bool {
	if s.prog.IsStatic(a) {
		return true
	}
	obj, ok := s.g.Find(s.base(a), 0)
	return ok && s.g.Locs[obj].Alloc != graph.None && s.g.InPrefix(s.g.Locs[obj].Alloc, s.pred)
}
