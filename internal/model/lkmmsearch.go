package model

import (
	"slices"
	"sync"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// A kernelSearch decides whether hb ∪ pb of the kernel's model gets a cycle by the last event of a thread, in a graph that has no cycle without it, no holes, no grace
// periods and no spin_unlock.
//
// Nothing leads on from that event e but co and fr to other threads: at the beginning of prop. And nothing needs to go through e within prop. So a cycle leaves e by a
// prop that begins with them, and comes back to e by hb or pb. The search follows
//
//	hb = ppo ∪ rfe ∪ (prop ∖ id) ∩ int   pb = prop;strong-fence;hb*   prop = ((co ∪ fr) ∩ ext)?;cumul-fence*;rfe?
//
// between marked events. Within prop it keeps in mind in which thread that began, in order to see where prop is in int: in sets of threads. A prop that begins
// in e is told apart, as it must not end there.
type kernelSearch struct {
	g      *graph.Graph
	of2018 bool
	goal   graph.ID
	begun  int32 // the thread of goal; fromGoal stands for it in sets of threads

	at   []kernelPlaces // by event
	used []graph.ID     // the events that at is not empty for
	// What leads on from an event within its thread, made when it is needed.
	steps   []kernelStep
	later   []stepRange // by event
	carried carried
}

// kernelPlaces are the places of a search at an event; sets of threads where prop began.
type kernelPlaces struct {
	cumul uint64 // in prop, between steps of cumul-fence*
	rmw   uint64 // of these, where (rf;rmw)* goes on
	read  uint64 // in prop, after rfe in cumul-fence
	end   uint64 // at the end of prop, after rfe
	hb    bool   // between steps of hb ∪ pb
}

// none reports whether there are no places.
func (p *kernelPlaces) none() bool { return p.cumul|p.rmw|p.read|p.end == 0 && !p.hb }

// fromGoal stands for a prop that began in the goal.
const fromGoal uint64 = 1 << 63

// maxKernelThreads is how many threads the sets have room for.
const maxKernelThreads = 63

// A kernelStep leads from an event to a marked one that is po-later.
type kernelStep struct {
	to  graph.ID
	how stepKind
}

type stepKind uint8

const (
	stepStrong stepKind = 1 << iota // strong-fence
	stepRel                         // po-rel
	stepWMB                         // wmb
	stepPPO
)

type stepRange struct{ from, to int32 }

var kernelSearches = sync.Pool{New: func() any { return &kernelSearch{} }}

// closes reports whether there is a cycle through id.
func (m *lkmm) closes(g *graph.Graph, id graph.ID) bool {
	e := &g.Events[id]
	if isPlain(e) {
		return false
	}
	s := kernelSearches.Get().(*kernelSearch)
	defer kernelSearches.Put(s)
	s.g, s.of2018, s.goal, s.begun = g, m.of2018, id, e.Thread
	if len(s.at) < len(g.Events) {
		s.at = make([]kernelPlaces, 2*len(g.Events))
		s.later = make([]stepRange, 2*len(g.Events))
	}
	found := s.overwritten(e, fromGoal)
	for _, id := range s.used {
		s.at[id], s.later[id] = kernelPlaces{}, stepRange{}
	}
	s.used, s.steps = s.used[:0], s.steps[:0]
	return found
}

// overwritten begins prop of the threads in began by (co ∪ fr) ∩ ext, from e.
func (s *kernelSearch) overwritten(e *graph.Event, began uint64) bool {
	for _, w := range s.g.Locs[e.Loc].Co[s.g.Key(e)/2+1:] {
		if s.g.Events[w].Thread != e.Thread && s.leads(w, kernelPlaces{cumul: began}) {
			return true
		}
	}
	return false
}

// leads reports whether the cycle can be closed from an event at one of the places.
func (s *kernelSearch) leads(id graph.ID, at kernelPlaces) bool {
	g := s.g
	e := &g.Events[id]
	if isPlain(e) {
		return false
	}
	own := uint64(1) << e.Thread
	ends := at.cumul | at.end
	if ends&own != 0 || ends&fromGoal != 0 && e.Thread == s.begun && id != s.goal {
		at.hb = true
	}
	if id == s.goal {
		return at.hb
	}
	if at.hb {
		at.cumul |= own
	}
	had := &s.at[id]
	at.cumul &^= had.cumul
	at.rmw &^= had.rmw
	at.read &^= had.read
	at.end &^= had.end
	at.hb = at.hb && !had.hb
	if at.none() {
		return false
	}
	if had.none() {
		s.used = append(s.used, id)
	}
	had.cumul |= at.cumul
	had.rmw |= at.rmw
	had.read |= at.read
	had.end |= at.end
	had.hb = had.hb || at.hb

	if s.within(id, e, at) {
		return true
	}
	switch e.Kind {
	case graph.Read:
		return at.hb && s.overwritten(e, own)
	case graph.Write:
		return at.hb && s.overwritten(e, own) || s.readers(id, e, at)
	case graph.Create:
		first := g.Threads[e.Val.Lo]
		return len(first) > 0 && s.leads(first[0], observedAt(at))
	case graph.End:
		return e.Co > 0 && anyJoin(g, id, func(join graph.ID) bool { return s.leads(join, observedAt(at)) })
	}
	return false
}

// observedAt is where rfe leads.
func observedAt(at kernelPlaces) kernelPlaces {
	return kernelPlaces{read: at.cumul, end: at.cumul, hb: at.hb}
}

// within follows what is ordered within the thread of e.
func (s *kernelSearch) within(id graph.ID, e *graph.Event, at kernelPlaces) bool {
	r := s.later[id]
	if r.to == 0 {
		r = s.stepsFrom(e)
		s.later[id] = r
	}
	for i := r.from; i < r.to; i++ {
		step := s.steps[i]
		if step.how == 0 {
			continue
		}
		var to kernelPlaces
		if step.how&(stepStrong|stepRel) != 0 {
			to.cumul = at.cumul | at.read
		}
		if step.how&stepWMB != 0 {
			to.cumul |= at.cumul
		}
		to.rmw = to.cumul
		to.hb = at.hb && step.how&stepPPO != 0 || step.how&stepStrong != 0 && at.cumul|at.end != 0
		if !to.none() && s.leads(step.to, to) {
			return true
		}
	}
	return false
}

// readers follows rfe, and rf;rmw, from the write w.
func (s *kernelSearch) readers(w graph.ID, e *graph.Event, at kernelPlaces) bool {
	g := s.g
	external := observedAt(at)
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		for id := l.Last[t].Read; id != graph.None; id = g.Events[id].Prev {
			r := &g.Events[id]
			if r.RF != w {
				continue
			}
			if int32(t) != e.Thread && !external.none() && s.leads(id, external) {
				return true
			}
			if evs := g.Threads[t]; at.rmw != 0 && !s.of2018 && r.Flags&graph.RMWPart != 0 && int(r.Index)+1 < len(evs) &&
				s.leads(evs[r.Index+1], kernelPlaces{cumul: at.rmw, rmw: at.rmw}) {
				return true
			}
		}
	}
	return false
}

// stepsFrom makes the steps from the marked event x.
func (s *kernelSearch) stepsFrom(x *graph.Event) stepRange {
	g := s.g
	from := int32(len(s.steps))
	if isAccess(x) || isSync(x) {
		f := fencingFrom(x)
		d := &s.carried
		d.reads, d.carriers, d.writes, d.plain, d.fenced = append(d.reads[:0], x.Index), d.carriers[:0], d.writes[:0], false, false
		for _, id := range g.Threads[x.Thread][x.Index+1:] {
			e := &g.Events[id]
			switch {
			case isAccess(e):
				depends := d.reaches(g, e)
				if how := howOrdered(&f, x, e, depends); how != 0 && !isPlain(e) {
					s.steps = append(s.steps, kernelStep{id, how})
				}
			case isSync(e):
				s.steps = append(s.steps, kernelStep{id, howOrdered(&f, x, e, false)})
			case d.plain && kernelFence(e) == event.SmpWMB:
				d.fenced = true
			}
			f.see(e)
		}
	}
	if len(s.steps) == int(from) {
		s.steps = append(s.steps, kernelStep{}) // so that the range says that it was made
	}
	return stepRange{from, int32(len(s.steps))}
}

// howOrdered returns how x is ordered before the later e, where f is of what is between; depends is whether ppo has the pair for a dependency.
func howOrdered(f *fencing, x, e *graph.Event, depends bool) stepKind {
	var how stepKind
	if f.isMB(e) {
		how |= stepStrong
	}
	if isRelease(e) {
		how |= stepRel
	}
	if f.isWMB(x, e) {
		how |= stepWMB
	}
	if how != 0 || depends || f.acquire || f.isRMB(x, e) || e.Kind == graph.Write && isAccess(x) && x.Loc == e.Loc {
		how |= stepPPO
	}
	return how
}

// A carried follows the value of a read along its thread.
type carried struct {
	reads    []int32 // the places of the read, and of those that get its value by (data;rfi)*
	carriers []int32 // of the writes between
	writes   []int32 // of the marked writes whose address or value depends on them
	plain    bool    // the address of a plain write does
	fenced   bool    // and smp_wmb came after that
}

// reaches reports whether ppo has e, the next access, for a dependency.
func (d *carried) reaches(g *graph.Graph, e *graph.Event) bool {
	addr := d.decides(g, e.Addr)
	if e.Kind == graph.Read {
		w := internalSource(g, e)
		if w == nil {
			return addr
		}
		if slices.Contains(d.carriers, w.Index) {
			d.reads = append(d.reads, e.Index)
		}
		return addr || slices.Contains(d.writes, w.Index)
	}
	data := d.decides(g, e.Data)
	if data {
		d.carriers = append(d.carriers, e.Index)
	}
	if addr || data {
		if isPlain(e) {
			d.plain = d.plain || addr
		} else {
			d.writes = append(d.writes, e.Index)
		}
	}
	return addr || data || d.fenced || d.decides(g, e.Open)
}

// decides reports whether the value is among what s is about.
func (d *carried) decides(g *graph.Graph, s event.DepSet) bool {
	if s == 0 {
		return false
	}
	for _, i := range d.reads {
		if g.Deps.Has(s, i) {
			return true
		}
	}
	return false
}
