package catmodel

import (
	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// A search looks for cycles in a graph. Its memory is used again.
type search struct {
	g      *graph.Graph
	masks  *maskTable
	hides  kinds     // that models do not see
	added  bool      // there are barriers of the compilation mapping
	bars   [3]uint64 // the masks of those before and behind
	walk   *walk
	starts map[searchKey][]start

	epoch uint32
	seen  []uint32 // by state and event: the epoch in which it was reached
	// Steps along po, hb and co lead to all that comes after some place: it is enough to know the first place. By state and thread, or
	// location; valid if the epoch is the present one.
	fronts   []front
	coFronts []front
	lastSync []front // by thread: the last event that the order of threads leads on from
	todo     []place
	goal     graph.ID
	ends     []bool // states to come to the goal in
	found    bool
}

type searchKey struct {
	walk *walk
	mask uint64
}

// A front says what has been reached: all from first on, and from part on what is not at location loc.
type front struct {
	epoch       uint32
	first, part int32
	loc         int32
}

type place struct {
	id    graph.ID
	state int32
	at    spot
}

// A spot is an event, or a barrier that the compilation mapping has put before or after it. Within a thread, the spot of
// the event at place i has position 3i + 1.
type spot int32

const (
	before spot = -1
	itself spot = 0
	behind spot = 1
)

// position is that of a spot at event e in its thread.
func (at spot) position(e *graph.Event) int32 { return 3*e.Index + 1 + int32(at) }

// barrierBefore and barrierBehind report whether there is one, on x86: an SFENCE before a release store, which only matters to models in which
// stores are not in order, and an MFENCE after an sc store.
func barrierBefore(e *graph.Event) bool {
	return e.Kind == graph.Write && e.Mode.IsRel() && e.Flags&graph.RMWPart == 0
}

func barrierBehind(e *graph.Event) bool {
	return e.Kind == graph.Write && e.Mode == event.SC && e.Flags&graph.RMWPart == 0
}

// noEvent stands for a barrier, which is at no location.
var noEvent = graph.Event{Kind: graph.Fence, Loc: -1}

// cycle reports whether a cycle of the walk goes through event id, the last one of its thread.
func (s *search) cycle(g *graph.Graph, id graph.ID, w *walk) bool {
	if s.hides.has(&g.Events[id]) {
		return false
	}
	mask := s.masks.of(&g.Events[id])
	key := searchKey{w, mask}
	list, ok := s.starts[key]
	if !ok {
		if s.starts == nil {
			s.starts = map[searchKey][]start{}
		}
		list = w.startsAt(mask)
		s.starts[key] = list
	}
	for i := range list {
		if s.run(g, id, w, &list[i]) {
			return true
		}
	}
	return false
}

func (s *search) run(g *graph.Graph, id graph.ID, w *walk, from *start) bool {
	s.g, s.walk, s.goal, s.ends, s.found = g, w, id, from.ends, false
	s.epoch++
	n := len(w.auto)
	spots := n * len(g.Events)
	if s.added {
		spots *= 3
	}
	if len(s.seen) < spots || s.epoch == 0 {
		s.seen = make([]uint32, 2*spots)
		s.epoch = 1
		clear(s.fronts)
		clear(s.coFronts)
		clear(s.lastSync)
	}
	if k := n * len(g.Threads); len(s.fronts) < k {
		s.fronts = make([]front, k)
	}
	if k := len(g.Threads); len(s.lastSync) < k {
		s.lastSync = make([]front, k)
	}
	if k := n * len(g.Locs); len(s.coFronts) < k {
		s.coFronts = make([]front, 2*k)
	}
	s.todo = append(s.todo[:0], place{id, int32(from.state), itself})
	for len(s.todo) > 0 && !s.found {
		p := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.expand(p)
	}
	return s.found
}

// reach notes that a walk comes to an event in a state.
func (s *search) reach(id graph.ID, state int) {
	if s.hides.has(&s.g.Events[id]) {
		return
	}
	if id == s.goal && s.ends[state] {
		s.found = true
	}
	i := int(id)*len(s.walk.auto) + state
	if s.seen[i] == s.epoch {
		return
	}
	s.seen[i] = s.epoch
	if need := s.walk.entry[state]; need == 0 || need&^s.masks.of(&s.g.Events[id]) == 0 {
		s.todo = append(s.todo, place{id, int32(state), itself})
	}
}

// reachBarrier is reach for a barrier of the compilation mapping.
func (s *search) reachBarrier(id graph.ID, at spot, state int) {
	if s.walk.entry[state]&^s.bars[at+1] != 0 {
		return
	}
	n := len(s.walk.auto) * len(s.g.Events)
	if at == behind {
		n *= 2
	}
	if i := n + int(id)*len(s.walk.auto) + state; s.seen[i] != s.epoch {
		s.seen[i] = s.epoch
		s.todo = append(s.todo, place{id, int32(state), at})
	}
}

// expand takes the steps that lead on from a place.
func (s *search) expand(p place) {
	g := s.g
	e := &g.Events[p.id]
	out := s.walk.auto[p.state].out
	if p.at != itself {
		s.expandBarrier(p, e, out)
		return
	}
	mask := s.masks.of(e)
	for i := range out {
		x := &out[i]
		if x.need&^mask != 0 {
			continue
		}
		switch x.step.rel {
		case stepPo:
			s.suffix(e, e.Thread, itself.position(e)+1, x)
		case stepSync:
			s.threads(e, x)
		case stepView:
			s.after(e, x)
		case stepRf:
			if e.Kind == graph.Write {
				s.readers(p.id, e, x)
			}
		case stepCo, stepFr:
			if (e.Kind == graph.Write) == (x.step.rel == stepCo) && (e.Kind == graph.Write || e.Kind == graph.Read) {
				s.writes(e, x)
			}
		case stepRmw:
			if e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 && int(e.Index)+1 < len(g.Threads[e.Thread]) {
				s.reach(g.Threads[e.Thread][e.Index+1], x.to)
			}
		}
	}
}

// expandBarrier is expand for a barrier.
func (s *search) expandBarrier(p place, e *graph.Event, out []edge) {
	for i := range out {
		x := &out[i]
		switch {
		case x.need&^s.bars[p.at+1] != 0:
		case x.step.rel == stepPo:
			s.suffix(&noEvent, e.Thread, p.at.position(e)+1, x)
		case x.step.rel == stepSync:
			s.threads(e, x) // e is not an event of threads: the same comes after the barrier
		}
	}
}

// suffix reaches the events of a thread from a position on.
func (s *search) suffix(e *graph.Event, t, from int32, x *edge) {
	to := 3 * int32(len(s.g.Threads[t]))
	if from >= to {
		return
	}
	f := x.step.filter
	if same := e == &noEvent || t == e.Thread; same && f&cat.OtherThread != 0 || !same && f&cat.SameThread != 0 {
		return // barriers lead on by po only
	}
	if f&cat.SameLoc != 0 {
		if isAccess(e) {
			s.sameLoc(e, t, from, x)
		}
		return
	}
	first := &s.fronts[x.to*len(s.g.Threads)+int(t)]
	if first.epoch != s.epoch {
		*first = front{epoch: s.epoch, first: to, part: to}
	}
	if to = min(to, first.first); from >= to {
		return
	}
	if f&cat.OtherLoc != 0 && isAccess(e) {
		if first.loc == e.Loc && from >= first.part {
			return
		}
		s.otherLoc(e, t, from, to, x)
		if first.loc != e.Loc { // two locations: what comes after both is done
			first.first = min(first.first, max(from, first.part))
		}
		if from < first.part {
			first.part, first.loc = from, e.Loc
		}
		return
	}
	first.first = from
	s.all(t, from, to, x)
}

// all reaches the events of a thread between two positions, so that the first one is gone on from first.
func (s *search) all(t, from, to int32, x *edge) {
	g := s.g
	if s.walk.sc[x.to] {
		sc := g.SC[t]
		for i := len(sc) - 1; i >= 0 && itself.position(&g.Events[sc[i]]) >= from; i-- {
			if itself.position(&g.Events[sc[i]]) < to {
				s.reach(sc[i], x.to)
			}
		}
		return
	}
	if s.added {
		s.suffixBarriers(t, from, to, x)
	}
	lo, hi := (from+1)/3, (to+1)/3
	if s.walk.first[x.to] {
		if lo < hi {
			s.reachGoal(t, x.to)
		}
		for lo < hi && s.hides.has(&g.Events[g.Threads[t][lo]]) {
			lo++
		}
		hi = min(hi, lo+1)
	}
	for i := hi - 1; i >= lo; i-- {
		s.reach(g.Threads[t][i], x.to)
	}
}

// reachGoal reaches the goal, if it is in thread t: it is the last event there.
func (s *search) reachGoal(t int32, state int) {
	if s.g.Events[s.goal].Thread == t {
		s.reach(s.goal, state)
	}
}

// otherLoc is all for the events that are not at the location of e.
func (s *search) otherLoc(e *graph.Event, t, from, to int32, x *edge) {
	g := s.g
	if s.added {
		s.suffixBarriers(t, from, to, x)
	}
	evs := g.Threads[t]
	lo, hi := (from+1)/3, (to+1)/3
	if s.walk.first[x.to] {
		if lo < hi && !atLoc(&g.Events[s.goal], e.Loc) {
			s.reachGoal(t, x.to)
		}
		for i := lo; i < hi; i++ {
			if y := &g.Events[evs[i]]; !atLoc(y, e.Loc) && !s.hides.has(y) {
				s.reach(evs[i], x.to)
				return
			}
		}
		return
	}
	for i := hi - 1; i >= lo; i-- {
		if !atLoc(&g.Events[evs[i]], e.Loc) {
			s.reach(evs[i], x.to)
		}
	}
}

// sameLoc reaches the accesses of a thread to the location of e from a position on.
func (s *search) sameLoc(e *graph.Event, t, from int32, x *edge) {
	g := s.g
	last := &g.Locs[e.Loc].Last[t]
	for _, id := range [2]graph.ID{last.Read, last.Write} {
		for ; id != graph.None && itself.position(&g.Events[id]) >= from; id = g.Events[id].Prev {
			s.reach(id, x.to)
		}
	}
}

func atLoc(e *graph.Event, loc int32) bool { return e.Loc == loc && isAccess(e) }

// suffixBarriers reaches the barriers of a thread in a range of positions.
func (s *search) suffixBarriers(t, from, to int32, x *edge) {
	if x.step.filter&cat.SameLoc != 0 {
		return
	}
	for i := from / 3; i < (to+2)/3; i++ {
		id := s.g.Threads[t][i]
		e := &s.g.Events[id]
		if p := before.position(e); p >= from && p < to && barrierBefore(e) {
			s.reachBarrier(id, before, x.to)
		}
		if p := behind.position(e); p >= from && p < to && barrierBehind(e) {
			s.reachBarrier(id, behind, x.to)
		}
	}
}

func isAccess(e *graph.Event) bool { return e.Kind == graph.Read || e.Kind == graph.Write }

// threads reaches what is ordered after e by the creation or the end of threads.
func (s *search) threads(e *graph.Event, x *edge) {
	g := s.g
	if e.Index > s.syncUntil(e.Thread) {
		return
	}
	evs := g.Threads[e.Thread]
	from := e.Index + 1
	if !isThreadEvent(e) {
		for ; int(from) < len(evs) && !isThreadEvent(&g.Events[evs[from]]); from++ {
		}
		if int(from) == len(evs) {
			return
		}
	}
	s.suffix(e, e.Thread, 3*from, x)
	if isThreadEvent(e) {
		from--
	}
	for _, id := range evs[from:] {
		switch y := &g.Events[id]; {
		case y.Kind == graph.Create && len(g.Threads[y.Val.Lo]) > 0:
			if child := &g.Events[g.Threads[y.Val.Lo][0]]; child.RF == id {
				s.reach(g.Threads[y.Val.Lo][0], x.to)
				s.threads(child, x)
			}
		case y.Kind == graph.End && y.Co > 0:
			for t := range g.Threads {
				for _, j := range g.Threads[t] {
					if join := &g.Events[j]; join.Kind == graph.Join && join.RF == id {
						s.reach(j, x.to)
						s.threads(join, x)
					}
				}
			}
		}
	}
}

// syncUntil returns the place of the last event of a thread that creates a thread, joins one or is joined.
func (s *search) syncUntil(t int32) int32 {
	if s.lastSync[t].epoch != s.epoch {
		evs := s.g.Threads[t]
		i := len(evs) - 1
		for ; i >= 0; i-- {
			if e := &s.g.Events[evs[i]]; isThreadEvent(e) && (e.Kind != graph.End || e.Co > 0) {
				break
			}
		}
		s.lastSync[t] = front{epoch: s.epoch, first: int32(i)}
	}
	return s.lastSync[t].first
}

// after reaches what happens after e.
func (s *search) after(e *graph.Event, x *edge) {
	g := s.g
	for t, evs := range g.Threads {
		from := int(e.Index) + 1
		if int32(t) != e.Thread {
			if n := len(evs); n == 0 || g.Count(g.Events[evs[n-1]].HB, e.Thread) <= e.Index {
				continue
			}
			lo, hi := 0, len(evs)
			for lo < hi {
				mid := (lo + hi) / 2
				if g.Count(g.Events[evs[mid]].HB, e.Thread) > e.Index {
					hi = mid
				} else {
					lo = mid + 1
				}
			}
			from = lo
		}
		s.suffix(e, int32(t), 3*int32(from), x)
	}
}

// readers reaches the reads of the write id.
func (s *search) readers(id graph.ID, e *graph.Event, x *edge) {
	g := s.g
	l := &g.Locs[e.Loc]
	if l.Reads == 0 {
		return
	}
	for t := range l.Last {
		if x.step.filter&cat.SameThread != 0 && int32(t) != e.Thread || x.step.filter&cat.OtherThread != 0 && int32(t) == e.Thread {
			continue
		}
		for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
			if g.Events[r].RF == id {
				s.reach(r, x.to)
			}
		}
	}
}

// writes reaches the writes that are co-after e, or what e reads.
func (s *search) writes(e *graph.Event, x *edge) {
	g := s.g
	co := g.Locs[e.Loc].Co
	from := g.Key(e)/2 + 1
	to := int32(len(co))
	if x.step.filter&(cat.SameThread|cat.OtherThread) == 0 {
		first := &s.coFronts[x.to*len(g.Locs)+int(e.Loc)]
		if first.epoch == s.epoch {
			to = min(to, first.first)
		}
		if from >= to {
			return
		}
		*first = front{epoch: s.epoch, first: from}
	}
	for _, w := range co[from:to] {
		if t := g.Events[w].Thread; x.step.filter&cat.SameThread != 0 && t != e.Thread || x.step.filter&cat.OtherThread != 0 && t == e.Thread {
			continue
		}
		s.reach(w, x.to)
	}
}
