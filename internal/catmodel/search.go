package catmodel

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/graph"
)

// A walk is a constraint as an automaton: a cycle of its relation is a walk that comes back.
type walk struct {
	auto automaton
	// A cycle through an event passes it in a state, starts, and comes back to it in the state in ends. They are the same for acyclic
	// relations. For irreflexive ones the automaton has two halves: a walk goes over from the first to the second where it ends
	// and begins.
	starts, ends []int
	// Without sc events there is no cycle: every one has an event that only they can be.
	needsSC bool
}

// walkOf makes a walk of an acyclic or irreflexive relation.
func (m *Model) walkOf(k *cat.Constraint, known ...int32) (*walk, error) {
	id, closure := k.Node(), k.Kind == cat.Acyclic
	if r, ok := m.prog.Plus(id); ok && !slices.Contains(known, id) {
		id, closure = r, true
	}
	path, err := m.prog.Path(id, known...)
	if err != nil {
		return nil, err
	}
	w := &walk{}
	if closure {
		if w.auto, err = m.automatonOf(path, &m.tests, true); err != nil {
			return nil, err
		}
		for s := range w.auto {
			w.starts, w.ends = append(w.starts, s), append(w.ends, s)
		}
	} else {
		one, err := m.automatonOf(path, &m.tests, false)
		if err != nil {
			return nil, err
		}
		w.auto = one.twice()
		for s := 1; s < len(one); s++ {
			w.starts, w.ends = append(w.starts, s), append(w.ends, s+len(one))
		}
	}
	for _, s := range w.auto {
		for _, e := range s.out {
			if e.step.rel == stepDep || e.step.rel == stepView && len(known) == 0 {
				return nil, errStep
			}
		}
	}
	w.dropStarts()
	return w, nil
}

// twice puts two copies of an automaton one after the other: where the first accepts, the second begins, at the same event.
func (a automaton) twice() automaton {
	n := len(a)
	out := make(automaton, 2*n)
	for i, s := range a {
		for _, e := range s.out {
			out[i].out = append(out[i].out, e)
			e.to += n
			out[n+i].out = append(out[n+i].out, e)
		}
		for _, need := range s.accept {
			for _, e := range a[0].out {
				e.need |= need
				e.to += n
				out[i].out = addEdge(out[i].out, e)
			}
		}
	}
	return out
}

// dropStarts leaves out states that no new event can be passed in: from the last event of a thread, only co and fr lead on.
func (w *walk) dropStarts() {
	var starts, ends []int
	for i, s := range w.starts {
		if slices.ContainsFunc(w.auto[s].out, func(e edge) bool { return e.step.rel == stepCo || e.step.rel == stepFr || e.step.rel == stepRf }) {
			starts, ends = append(starts, s), append(ends, w.ends[i])
		}
	}
	w.starts, w.ends = starts, ends
}

// A search looks for cycles in a graph. Its memory is used again.
type search struct {
	g     *graph.Graph
	masks *maskTable
	auto  automaton

	epoch uint32
	seen  []uint32 // by state and event: the epoch in which it was reached
	// Steps along po, hb and co lead to all that comes after some place: it is enough to know the first place. By state and thread, or
	// location; valid if the epoch is the present one.
	fronts   []front
	coFronts []front
	todo     []place
	end      int // state to come to
	goal     graph.ID
	found    bool
}

type front struct {
	epoch uint32
	first int32
}

type place struct {
	id    graph.ID
	state int32
}

// cycle reports whether a cycle of the walk goes through event id, the last one of its thread.
func (s *search) cycle(g *graph.Graph, id graph.ID, w *walk) bool {
	mask := s.masks.of(&g.Events[id])
	for i, start := range w.starts {
		if s.enabled(w, start, mask) && s.run(g, id, w, start, w.ends[i]) {
			return true
		}
	}
	return false
}

// enabled reports whether an event with this mask can be left from a state by a step that goes to another thread.
func (s *search) enabled(w *walk, start int, mask uint64) bool {
	for i := range w.auto[start].out {
		if e := &w.auto[start].out[i]; e.need&^mask == 0 && (e.step.rel == stepCo || e.step.rel == stepFr || e.step.rel == stepRf) {
			return true
		}
	}
	return false
}

func (s *search) run(g *graph.Graph, id graph.ID, w *walk, start, end int) bool {
	s.g, s.auto, s.goal, s.end, s.found = g, w.auto, id, end, false
	s.epoch++
	n := len(w.auto)
	if len(s.seen) < n*len(g.Events) || s.epoch == 0 {
		s.seen = make([]uint32, 2*n*len(g.Events))
		s.epoch = 1
		clear(s.fronts)
		clear(s.coFronts)
	}
	if k := n * len(g.Threads); len(s.fronts) < k {
		s.fronts = make([]front, k)
	}
	if k := n * len(g.Locs); len(s.coFronts) < k {
		s.coFronts = make([]front, 2*k)
	}
	s.todo = append(s.todo[:0], place{id, int32(start)})
	for len(s.todo) > 0 && !s.found {
		p := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.expand(p)
	}
	return s.found
}

// reach notes that a walk comes to an event in a state.
func (s *search) reach(id graph.ID, state int) {
	if id == s.goal && state == s.end {
		s.found = true
	}
	i := int(id)*len(s.auto) + state
	if s.seen[i] != s.epoch {
		s.seen[i] = s.epoch
		if len(s.auto[state].out) > 0 {
			s.todo = append(s.todo, place{id, int32(state)})
		}
	}
}

// expand takes the steps that lead on from a place.
func (s *search) expand(p place) {
	g := s.g
	e := &g.Events[p.id]
	mask := s.masks.of(e)
	out := s.auto[p.state].out
	for i := range out {
		x := &out[i]
		if x.need&^mask != 0 {
			continue
		}
		switch x.step.rel {
		case stepPo:
			s.suffix(e, e.Thread, e.Index+1, x)
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

// suffix reaches the events of a thread from a place on.
func (s *search) suffix(e *graph.Event, t, from int32, x *edge) {
	g := s.g
	to := int32(len(g.Threads[t]))
	if f := x.step.filter; f == 0 {
		first := &s.fronts[x.to*len(g.Threads)+int(t)]
		if first.epoch == s.epoch {
			to = min(to, first.first)
		}
		if from >= to {
			return
		}
		*first = front{s.epoch, from}
	} else if f&cat.OtherThread != 0 && t == e.Thread || f&cat.SameThread != 0 && t != e.Thread {
		return
	}
	for i := from; i < to; i++ {
		id := g.Threads[t][i]
		if id == graph.Init {
			continue
		}
		if fits(e, &g.Events[id], x.step.filter) {
			s.reach(id, x.to)
		}
	}
}

// fits reports whether two events are at the same or another location, as a filter says.
func fits(a, b *graph.Event, f cat.Filter) bool {
	if f&(cat.SameLoc|cat.OtherLoc) == 0 {
		return true
	}
	same := isAccess(a) && isAccess(b) && a.Loc == b.Loc
	return same == (f&cat.SameLoc != 0)
}

func isAccess(e *graph.Event) bool { return e.Kind == graph.Read || e.Kind == graph.Write }

// threads reaches what is ordered after e by the creation or the end of threads.
func (s *search) threads(e *graph.Event, x *edge) {
	g := s.g
	evs := g.Threads[e.Thread]
	from := e.Index + 1
	if !isThreadEvent(e) {
		for ; int(from) < len(evs) && !isThreadEvent(&g.Events[evs[from]]); from++ {
		}
		if int(from) == len(evs) {
			return
		}
	}
	s.suffix(e, e.Thread, from, x)
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
		s.suffix(e, int32(t), int32(from), x)
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
		for r := l.Last[t].Read; r != graph.Init; r = g.Events[r].Prev {
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
		*first = front{s.epoch, from}
	}
	for _, w := range co[from:to] {
		if t := g.Events[w].Thread; x.step.filter&cat.SameThread != 0 && t != e.Thread || x.step.filter&cat.OtherThread != 0 && t == e.Thread {
			continue
		}
		s.reach(w, x.to)
	}
}
