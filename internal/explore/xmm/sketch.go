package xmm

import (
	"encoding/binary"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
	"ravel/internal/relation"
)

// A label is what two events must have in common, beside their thread, for one to stand for the other in a re-execution.
type label struct {
	kind   graph.Kind
	mode   event.Mode
	tag    event.Tag
	locked bool // of a read-modify-write
	size   uint8
	addr   event.Addr
	val    event.Value
}

// A sketchEvent is an event of a sketch.
type sketchEvent struct {
	label
	thread   int32
	src      int32 // what it reads from, the create of a start, the end of a join; none if initial
	co       int32 // of a write: its place in co, from 1
	rmw      bool  // the write of a read-modify-write, whose read is just before
	spurious bool  // the read of a weak CAS that failed although it read the expected value
}

const none = -1

// A sketch is an execution graph by itself: what is left of one when its worker has gone on.
// Its events are thread after thread, in program order.
type sketch struct {
	evs   []sketchEvent
	first []int32 // by thread: where its events begin; one more at the end
}

// sketchOf makes s the first counts[t] events of each thread t of g, or all if counts is nil.
func (s *sketch) sketchOf(g *graph.Graph, counts []int32) {
	s.evs, s.first = s.evs[:0], s.first[:0]
	for t, ids := range g.Threads {
		s.first = append(s.first, int32(len(s.evs)))
		if counts != nil {
			ids = ids[:counts[t]]
		}
		for _, id := range ids {
			s.evs = append(s.evs, sketchEvent{label: labelOf(g, &g.Events[id]), thread: int32(t), src: none})
		}
	}
	s.first = append(s.first, int32(len(s.evs)))
	for t, ids := range g.Threads {
		n := s.first[t+1] - s.first[t]
		for i, id := range ids[:n] {
			e := &g.Events[id]
			x := &s.evs[s.first[t]+int32(i)]
			switch e.Kind {
			case graph.Read, graph.Start, graph.Join:
				x.spurious = e.Kind == graph.Read && e.Flags&graph.Spurious != 0
				if e.RF != graph.Init {
					w := &g.Events[e.RF]
					x.src = s.first[w.Thread] + w.Index
				}
			case graph.Write:
				x.co = e.Co
				x.rmw = e.Flags&graph.RMWPart != 0
			}
		}
	}
	if counts != nil {
		s.closeGaps()
	}
}

// closeGaps numbers the writes of each location again, some of which a prefix has left out.
func (s *sketch) closeGaps() {
	for _, ws := range s.writes() {
		for i, w := range ws {
			s.evs[w].co = int32(i + 1)
		}
	}
}

// writes returns the writes of each location in co.
func (s *sketch) writes() map[event.Addr][]int32 {
	m := map[event.Addr][]int32{}
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Write {
			m[e.addr] = append(m[e.addr], int32(i))
		}
	}
	for _, ws := range m {
		slices.SortFunc(ws, func(a, b int32) int { return int(s.evs[a].co - s.evs[b].co) })
	}
	return m
}

func labelOf(g *graph.Graph, e *graph.Event) label {
	l := label{kind: e.Kind, mode: e.Mode, tag: e.Tag, val: e.Val}
	switch e.Kind {
	case graph.Read, graph.Write:
		loc := &g.Locs[e.Loc]
		l.addr, l.size = loc.Addr, loc.Size
		l.locked = e.Flags&(graph.Locked|graph.RMWPart) != 0
	case graph.Alloc, graph.Free:
		l.addr = g.Locs[e.Loc].Addr
	}
	return l
}

func (s *sketch) clone() *sketch {
	return &sketch{slices.Clone(s.evs), slices.Clone(s.first)}
}

// key is what two sketches have in common iff they are the same execution.
func (s *sketch) key() string {
	b := make([]byte, 0, 16*len(s.evs))
	for i := range s.evs {
		e := &s.evs[i]
		b = append(b, byte(e.kind), byte(e.mode))
		if e.spurious {
			b = append(b, '!')
		}
		b = binary.AppendVarint(b, int64(e.thread))
		b = binary.AppendUvarint(b, uint64(e.addr))
		b = binary.AppendUvarint(b, e.val.Lo)
		b = binary.AppendUvarint(b, e.val.Hi)
		b = binary.AppendVarint(b, int64(e.src))
		b = binary.AppendVarint(b, int64(e.co))
	}
	return string(b)
}

// access reports whether e is a read or a write.
func (e *sketchEvent) access() bool { return e.kind == graph.Read || e.kind == graph.Write }

// place orders the accesses of a location as graph.Graph.Key does: eco(x, y) iff place(x) < place(y).
func (s *sketch) place(e *sketchEvent) int32 {
	switch {
	case e.kind == graph.Write:
		return 2 * e.co
	case e.src == none:
		return 1
	}
	return 2*s.evs[e.src].co + 1
}

// Facts are the relations of a sketch that re-execution speaks of.
type facts struct {
	*sketch
	hb       *relation.Rel
	porf     *relation.Rel // (po ∪ rf)⁺, thread creation and join included
	rpo      *relation.Rel
	ready    []bool                 // by event: rpo from it on is known; nil if all is
	java     model.CycleModel       // the model, if it is one of Java's; nil for xmm
	with     [][]int32              // see committedWith
	accesses map[event.Addr][]int32 // see byLoc
	cause    func(a, b int32) bool  // whether they are in (po ∪ re)⁺, where re has the pairs of a write and a read of its location that is not before it in hb
}

// factsOf computes the facts of s; cause only if it is asked for.
func factsOf(s *sketch, cause bool) *facts {
	f, po := ordersOf(s)
	f.rpo = relation.NewRel(len(s.evs))
	f.preserved()
	if cause {
		for i := range s.evs {
			for j := range s.evs {
				w, r := &s.evs[i], &s.evs[j]
				if w.kind == graph.Write && r.kind == graph.Read && w.addr == r.addr && !f.hb.Has(j, i) {
					po.Add(i, j)
				}
			}
		}
		po.Closure(po)
		f.cause = func(a, b int32) bool { return po.Has(int(a), int(b)) }
	}
	return f
}

// ordersOf computes hb and porf of s. It also returns the pairs next to each other in po, thread creation and join included.
func ordersOf(s *sketch) (f *facts, po *relation.Rel) {
	n := len(s.evs)
	f = &facts{sketch: s, hb: relation.NewRel(n), porf: relation.NewRel(n)}
	po = relation.NewRel(n)
	for i := range s.evs {
		e := &s.evs[i]
		if int32(i) > s.first[e.thread] {
			po.Add(i-1, i)
		}
		if e.src != none && e.kind != graph.Read {
			po.Add(int(e.src), i)
		}
	}
	f.porf.Copy(po)
	f.hb.Copy(po)
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Read && e.src != none {
			f.porf.Add(int(e.src), i)
			s.synchronise(f.hb, i)
		}
	}
	f.hb.Closure(f.hb)
	f.porf.Closure(f.porf)
	return f, po
}

// synchronise adds to hb the releases that the read r synchronises with, or an acquire fence after it.
func (s *sketch) synchronise(hb *relation.Rel, r int) {
	e := &s.evs[r]
	if e.mode == event.NA {
		return
	}
	for w := e.src; w != none; w = s.evs[w-1].src {
		x := &s.evs[w]
		if x.mode == event.NA {
			return
		}
		from := w
		if !x.mode.IsRel() {
			for from--; from >= s.first[x.thread] && (s.evs[from].kind != graph.Fence || !s.evs[from].mode.IsRel()); from-- {
			}
		}
		if from >= s.first[x.thread] {
			if e.mode.IsAcq() {
				hb.Add(int(from), r)
			}
			for f := r + 1; f < int(s.first[e.thread+1]); f++ {
				if s.evs[f].kind == graph.Fence && s.evs[f].mode.IsAcq() {
					hb.Add(int(from), f)
					break
				}
			}
		}
		if !x.rmw {
			return
		}
	}
}

// preserved computes rpo: what of po re-execution keeps between committed events.
func (f *facts) preserved() {
	for i := range f.evs {
		f.preservedFrom(int32(i))
	}
}

// preservedFrom computes rpo from event i on.
func (f *facts) preservedFrom(i int32) {
	var p reachedBy
	p.add(&f.evs[i])
	for j := i + 1; j < f.first[f.evs[i].thread+1]; j++ {
		if b := &f.evs[j]; p.reaches(b) {
			f.rpo.Add(int(i), int(j))
			p.add(b)
		}
	}
}

// keeps reports whether a is before b in rpo, also if rpo is computed on demand.
func (f *facts) keeps(a, b int32) bool {
	if f.ready != nil && !f.ready[a] {
		f.ready[a] = true
		f.preservedFrom(a)
	}
	return f.rpo.Has(int(a), int(b))
}

// reachedBy is what matters of an event and the events after it in rpo, up to some place in its thread: what is next in rpo depends on nothing else.
type reachedBy struct {
	acquire bool // one is an acquire
	read    bool // one is an atomic read
	release bool // one is a release fence
	any     bool // one is an access or a fence
}

func (p *reachedBy) add(e *sketchEvent) {
	if !ordered(e.kind) {
		return
	}
	p.any = true
	p.acquire = p.acquire || e.mode.IsAcq()
	p.read = p.read || e.kind == graph.Read && e.mode != event.NA
	p.release = p.release || e.kind == graph.Fence && e.mode.IsRel()
}

// reaches reports whether the event b, which comes next, is after one of them by one of the relations of kept.
func (p *reachedBy) reaches(b *sketchEvent) bool {
	return ordered(b.kind) && (p.acquire || p.any && b.mode.IsRel() ||
		p.read && b.kind == graph.Fence && b.mode.IsAcq() || p.release && b.kind == graph.Write && b.mode != event.NA)
}

// kept reports whether an event of kind a and mode m and a later one of kind b and mode n of the same thread are in one of the relations
// that rpo is the closure of.
func kept(a graph.Kind, m event.Mode, b graph.Kind, n event.Mode) bool {
	switch {
	case !ordered(a) || !ordered(b):
		return false
	case m.IsAcq(), n.IsRel():
		return true
	case a == graph.Read && m != event.NA && b == graph.Fence && n.IsAcq():
		return true
	}
	return a == graph.Fence && m.IsRel() && b == graph.Write && n != event.NA
}

// ordered reports whether events of kind k are ordered by modes.
func ordered(k graph.Kind) bool { return k == graph.Read || k == graph.Write || k == graph.Fence }

// core returns how many events of each thread are in, or before, a cycle of po ∪ rf; nil if there is no cycle.
func (f *facts) core() []int32 {
	n := len(f.evs)
	var counts []int32
	for c := range n {
		if !f.porf.Has(c, c) {
			continue
		}
		if counts == nil {
			counts = make([]int32, len(f.first)-1)
		}
		for i := range n {
			if f.porf.Has(i, c) {
				t := f.evs[i].thread
				counts[t] = max(counts[t], int32(i)-f.first[t]+1)
			}
		}
	}
	return counts
}

// prefix returns the first counts[t] events of each thread t.
func (s *sketch) prefix(counts []int32) *sketch {
	p := &sketch{}
	at := make([]int32, len(s.evs))
	for t, n := range counts {
		p.first = append(p.first, int32(len(p.evs)))
		for i := s.first[t]; i < s.first[t]+n; i++ {
			at[i] = int32(len(p.evs))
			p.evs = append(p.evs, s.evs[i])
		}
	}
	p.first = append(p.first, int32(len(p.evs)))
	for i := range p.evs {
		if e := &p.evs[i]; e.src != none {
			e.src = at[e.src]
		}
	}
	p.closeGaps()
	return p
}
