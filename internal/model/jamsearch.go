package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// How a search has come to an event, as bits of graph.Marks. See jam.cycle.
const (
	fresh  uint32 = 1 << iota // by vo from where it began
	pushed                    // by push, and vo after it
	weak                      // by co or fr, and vo after it
)

// A jamSearch follows the order of a Java model without pushto from event to event.
type jamSearch struct {
	*jam
	g      *graph.Graph
	e      *graph.Event // where the search began
	push   uint32       // what push makes of a way: pushed, or fresh if nothing but coherence is asked for
	from   [5][]int32   // by way: the events of a thread from this index on have been reached
	writes []int32      // the co-successors of the writes of a thread from this index on have
}

// cycle reports whether the co and fr edges that leave the access id, the last event of its thread, make the
// graph inconsistent. Only the checker order asks for the second of two conditions.
//
// Write vo₀ for (svo ∪ ra ∪ push ∪ rf)+, and weak for co ∪ fr ∪ po;[W];co. First, vo₀;weak must be irreflexive: coherence. Second,
// let forced = push;vo₀?;weak;vo₀?, on the domain of push. If b forced a, then pushto orders b before a: otherwise a is
// before b, and pushto;push leads from a to where a weak edge leads back. So forced must be acyclic. These are the
// only ways to be inconsistent except for what pushto has to extend (jamorder.go): in a cycle of weak edges, vo₀ and pushto;push, what
// is between a push and the next pushto is forced or vo₀, so if pushto extends both there is no such cycle.
//
// Both are cycles of events in which between two weak edges there is a push. The search begins with the new weak edges. Events to
// come do not matter: what is added without co- or fr-successors only has edges into it, and what push then leads from, earlier
// events of its thread, had no forced edges out.
func (m *jam) cycle(g *graph.Graph, id graph.ID) bool {
	g.Marks.Clear(g)
	s := jamSearch{g: g, jam: m, e: &g.Events[id], push: fresh}
	if m.checker == "order" && g.NumSC > 1 { // one fence has no other cycles
		s.push = pushed
	}
	s.from[fresh], s.from[pushed], s.from[weak] = g.Scratch(0, far), g.Scratch(1, far), g.Scratch(2, far)
	s.writes = g.Scratch(3, far)
	return s.after(s.e, fresh)
}

// after follows the weak edges of the access x.
func (s *jamSearch) after(x *graph.Event, way uint32) bool {
	g := s.g
	co := g.Locs[x.Loc].Co
	for _, w := range co[g.Key(x)/2+1:] {
		if s.visit(w, way) {
			return true
		}
	}
	return false
}

// visit comes to the event id and reports whether that, or what follows, closes a cycle.
func (s *jamSearch) visit(id graph.ID, way uint32) bool {
	g := s.g
	if m := g.Marks.Of(id); m&(way|pushed) != 0 || way == weak && m&fresh != 0 {
		return false
	}
	if s.push == fresh && !g.InPrefix(id, s.e) {
		return false // vo₀ does not lead to e from there
	}
	g.Marks.Add(id, way)
	x := &g.Events[id]
	if way != weak && x.Thread == s.e.Thread && (x == s.e || s.e.Kind == graph.Write && x.Index <= s.e.Index) {
		return true
	}
	if x.Flags&graph.RMWPart != 0 && !s.c11 && s.otherHalf(x, way) {
		return true
	}
	return way == pushed && s.weak(x) || s.thread(x, way) || s.leave(id, x, way)
}

// otherHalf visits the other half of an RMW: they are one event.
func (s *jamSearch) otherHalf(x *graph.Event, way uint32) bool {
	evs, i := s.g.Threads[x.Thread], int(x.Index)+1
	if x.Kind == graph.Write {
		i -= 2
	}
	return i < len(evs) && s.visit(evs[i], way)
}

// weak follows the weak edges from x and from the writes after it.
func (s *jamSearch) weak(x *graph.Event) bool {
	g := s.g
	if x.Kind == graph.Read && s.after(x, weak) {
		return true
	}
	first := &s.writes[x.Thread]
	if x.Index >= *first {
		return false
	}
	end := min(*first, int32(len(g.Threads[x.Thread])))
	*first = x.Index
	for _, id := range g.Threads[x.Thread][x.Index:end] {
		if y := &g.Events[id]; y.Kind == graph.Write && s.after(y, weak) {
			return true
		}
	}
	return false
}

// thread follows svo, ra and push from x within its thread.
func (s *jamSearch) thread(x *graph.Event, way uint32) bool {
	g := s.g
	evs := g.Threads[x.Thread]
	if acquires(x) && s.rest(x.Thread, x.Index+1, way) {
		return true
	}
	if s.of2019 && x.Mode == event.SC && x.Kind == graph.Write && s.rest(x.Thread, x.Index+1, s.push) {
		return true
	}
	released, fenced := false, false // a release write, a release fence was seen
	volint := s.of2019 || x.Mode == event.SC
	for i := x.Index + 1; int(i) < len(evs); i++ {
		y := &g.Events[evs[i]]
		switch y.Kind {
		case graph.Fence:
			switch {
			case y.Mode == event.SC && s.rest(x.Thread, i+1, s.push):
				return true
			case y.Mode.IsAcq() && x.Kind == graph.Read && s.rest(x.Thread, i+1, way):
				return true
			}
			fenced = fenced || y.Mode.IsRel()
		case graph.Write, graph.Create, graph.End:
			release := y.Kind != graph.Write || y.Mode.IsRel()
			if (fenced && y.Kind == graph.Write || release && !released) && s.visit(evs[i], way) {
				return true
			}
			released = released || release // it leads to the others
		}
		if volint && y.Mode == event.SC && (!s.of2019 || y.Kind == graph.Read) && (s.c11 || !halves(x, y)) {
			volint = false // it leads to the others
			if s.visit(evs[i], s.push) {
				return true
			}
		}
	}
	return false
}

// acquires reports whether all that follows x in its thread comes after it.
func acquires(x *graph.Event) bool {
	return x.Kind == graph.Read && x.Mode.IsAcq() || x.Kind == graph.Start || x.Kind == graph.Join
}

// halves reports whether x and y are the halves of one RMW.
func halves(x, y *graph.Event) bool {
	return x.Flags&y.Flags&graph.RMWPart != 0 && x.Thread == y.Thread && y.Index == x.Index+1 && y.Kind == graph.Write
}

// rest comes to the events of thread t from index i on.
func (s *jamSearch) rest(t, i int32, way uint32) bool {
	g := s.g
	end := min(s.from[way][t], int32(len(g.Threads[t])))
	if i >= end {
		return false
	}
	s.from[way][t] = i
	for _, id := range g.Threads[t][i:end] {
		if way == pushed && !inMemory(&g.Events[id]) {
			continue // push is between accesses and fences
		}
		if s.visit(id, way) {
			return true
		}
	}
	return false
}

// inMemory reports whether e is an access or a fence.
func inMemory(e *graph.Event) bool {
	return e.Kind == graph.Read || e.Kind == graph.Write || e.Kind == graph.Fence
}

// leave follows rf from x, and the creation and the join of threads.
func (s *jamSearch) leave(id graph.ID, x *graph.Event, way uint32) bool {
	g := s.g
	switch x.Kind {
	case graph.Write:
		l := &g.Locs[x.Loc]
		for t := range l.Last {
			for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
				if g.Events[r].RF == id && s.visit(r, way) {
					return true
				}
			}
		}
	case graph.Create:
		for _, evs := range g.Threads {
			if len(evs) > 0 && g.Events[evs[0]].RF == id && s.visit(evs[0], way) {
				return true
			}
		}
	case graph.End:
		if x.Co == 0 {
			return false
		}
		for _, evs := range g.Threads {
			for _, j := range evs {
				if y := &g.Events[j]; y.Kind == graph.Join && y.RF == id && s.visit(j, way) {
					return true
				}
			}
		}
	}
	return false
}
