package xmm

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// Java's models re-execute by other rules (docs/jam21.md): consistent is what the model says, rpo is empty, and what may cause what is decided by races.

// A race is that two threads access a location, one of them plainly, and the model does not order the write and the read.
type race struct {
	writer, reader int32
	addr           event.Addr
}

// learnRaces takes note of the races of the execution, which has no cycles.
func (x *reexecution) learnRaces() {
	if x.java == nil {
		return
	}
	var s sketch
	s.sketchOf(x.Graph, nil)
	var visible *relation.Rel
	s.eachConflict(func(w, r int, at race) {
		if x.races[at] || s.evs[w].mode != event.NA && s.evs[r].mode != event.NA {
			return
		}
		if visible == nil {
			visible = x.java.Visible(x.Graph)
		}
		if !visible.Has(w, r) && !visible.Has(r, w) {
			x.races[at] = true
		}
	})
}

// eachConflict calls yield with the writes and reads of one location in different threads.
func (s *sketch) eachConflict(yield func(w, r int, at race)) {
	reads := map[event.Addr][]int{}
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Read {
			reads[e.addr] = append(reads[e.addr], i)
		}
	}
	for i := range s.evs {
		w := &s.evs[i]
		if w.kind != graph.Write {
			continue
		}
		for _, j := range reads[w.addr] {
			if r := &s.evs[j]; r.thread != w.thread {
				yield(i, j, race{w.thread, r.thread, w.addr})
			}
		}
	}
}

// opaqueCycle reports whether a promise is on a cycle in po ∪ rf of opaque events, if the model forbids these. The write of a promise that is not kept yet will
// come after all that its thread has done.
func (s *search) opaqueCycle() bool {
	if s.java == nil || !s.java.OpaqueAcyclic() {
		return false
	}
	for i := range s.promises {
		p := &s.promises[i]
		if p.write.mode == event.NA || p.edge.read.mode == event.NA {
			continue
		}
		r := &s.g.Events[p.read]
		at := int32(len(s.g.Threads[p.from]))
		if p.kept {
			at = s.g.Events[r.RF].Index
		}
		if s.opaqueAfter(r)[p.from] < at {
			return true
		}
	}
	return false
}

// opaqueAfter returns, by thread, the index of the first opaque event that r is before by po and rf of opaque events.
func (s *search) opaqueAfter(r *graph.Event) []int32 {
	g := s.g
	from := make([]int32, len(g.Threads))
	for t := range from {
		from[t] = int32(len(g.Threads[t]))
	}
	var reach func(t, i int32)
	reach = func(t, i int32) {
		end := from[t]
		if i >= end {
			return
		}
		from[t] = i
		for _, id := range g.Threads[t][i:end] {
			e := &g.Events[id]
			if e.Kind != graph.Write || e.Mode == event.NA {
				continue
			}
			l := &g.Locs[e.Loc]
			for u := range l.Last {
				for x := l.Last[u].Read; x != graph.None; x = g.Events[x].Prev {
					if y := &g.Events[x]; y.RF == id && y.Mode != event.NA {
						reach(y.Thread, y.Index)
					}
				}
			}
		}
	}
	reach(r.Thread, r.Index)
	return from
}

// factsOf computes the facts of s; cause only if it is asked for.
func (x *reexecution) factsOf(s *sketch, cause bool) *facts {
	if x.java == nil {
		return factsOf(s, cause)
	}
	n := len(s.evs)
	f := &facts{sketch: s, java: x.java, porf: relation.NewRel(n), rpo: relation.NewRel(n), hb: x.java.Ordered(s.graph())}
	for i := range s.evs {
		e := &s.evs[i]
		if int32(i) > s.first[e.thread] {
			f.porf.Add(i-1, i)
		}
		if e.src != none {
			f.porf.Add(int(e.src), i)
		}
		for j := s.first[e.thread]; int(j) < i; j++ {
			if !x.java.Backward() || !s.mayGoBack(&s.evs[j], e) {
				f.hb.Add(int(j), i)
			}
		}
	}
	if cause {
		cause := f.porf.Clone()
		s.eachConflict(func(w, r int, at race) {
			if x.races[at] {
				cause.Add(w, r)
			}
		})
		cause.Closure(cause)
		f.cause = func(a, b int32) bool { return cause.Has(int(a), int(b)) }
	}
	f.porf.Closure(f.porf)
	return f
}

// mayGoBack reports whether the read b may read a write that is co-before the one that the read a, which is po-before it, reads: one of the writes is plain.
func (s *sketch) mayGoBack(a, b *sketchEvent) bool {
	plain := func(r *sketchEvent) bool { return r.src != none && s.evs[r.src].mode == event.NA }
	return a.kind == graph.Read && b.kind == graph.Read && a.addr == b.addr && (plain(a) || plain(b))
}

// inJava reports whether f, whose writes have their places in co, is coherent by itself and satisfies the axioms of the model.
func (f *facts) inJava() bool {
	for i := range f.evs {
		b := &f.evs[i]
		if !b.access() {
			continue
		}
		for j := f.first[b.thread]; int(j) < i; j++ {
			a := &f.evs[j]
			if !a.access() || a.addr != b.addr || f.java.Backward() && f.mayGoBack(a, b) {
				continue
			}
			if p, q := f.place(a), f.place(b); p > q || p == q && (a.kind != graph.Read || b.kind != graph.Read) {
				return false
			}
		}
	}
	return f.java.Allows(f.graph())
}

// mayGoBack is that of sketches. A promise is the write that will keep it.
func (s *search) mayGoBack(a, b *graph.Event) bool {
	return s.java != nil && s.java.Backward() && a.Kind == graph.Read && b.Kind == graph.Read && b.Flags&graph.RMWPart == 0 && (s.readsPlain(a) || s.readsPlain(b))
}

// readsPlain reports whether the read e reads a plain write that is not initial.
func (s *search) readsPlain(e *graph.Event) bool {
	if e.RF != graph.Init {
		return s.g.Events[e.RF].Mode == event.NA
	}
	p := s.promiseOf(s.g.Threads[e.Thread][e.Index])
	return p != nil && p.write.mode == event.NA
}

// graph returns s as a graph. Its events have no views.
func (s *sketch) graph() *graph.Graph {
	g := graph.New(len(s.first) - 1)
	id := func(i int32) graph.ID { return graph.ID(i + 1) }
	for i := range s.evs {
		x := &s.evs[i]
		loc, kind := int32(-1), x.kind
		switch {
		case x.access():
			loc, _ = g.Loc(x.addr, x.size)
		case kind == graph.Alloc || kind == graph.Free:
			kind = graph.Choice // the models take no notice of either
		}
		e := &g.Events[g.NewEventAt(x.thread, int32(i)-s.first[x.thread], kind, x.mode, loc)]
		e.Tag, e.Val = x.tag, x.val
		if x.src != none {
			e.RF = id(x.src)
		}
		if x.rmw || x.kind == graph.Read && i+1 < len(s.evs) && s.evs[i+1].rmw && s.evs[i+1].thread == x.thread {
			e.Flags |= graph.RMWPart
		}
	}
	for i := range s.evs {
		n := int32(0)
		if loc := g.Events[id(int32(i))].Loc; loc >= 0 {
			n = int32(len(g.Locs[loc].Co))
		}
		g.Add(id(int32(i)), n)
	}
	for _, ws := range s.writes() {
		co := g.Locs[g.Events[id(ws[0])].Loc].Co
		for i, w := range ws {
			co[i+1] = id(w)
			g.Events[id(w)].Co = int32(i + 1)
		}
	}
	return g
}
