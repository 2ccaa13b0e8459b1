package model

import (
	"sync"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// A propSearch decides whether POWER or ARMv7 allow the last event of a thread, in a graph without holes that is consistent without it, and coherent and
// atomic with it.
//
// Nothing leads on from that event e but co and fr. So hb has no cycle with e. What else is forbidden is a cycle that leaves e by one of these:
//
//	e is a read    fre;prop;hb*, and prop⁺ whose first step begins with the fr of e
//	e is a write   (co ∪ prop)⁺, and (co ∪ [RMW];po;[RMW])⁺
//
// Nothing else needs to go through e: what goes into it by com and on by co or fr could go past it. The search follows these expressions from the first write
// after e. Its states are places in the expressions.
type propSearch struct {
	g    *graph.Graph
	m    *herdingCats
	goal graph.ID

	threads []threadSearch
	seen    []places // by event: where it was
}

// A threadSearch has what is ordered within a thread, as far as the search has needed it.
type threadSearch struct {
	barriers []barrierPlaces // by event; empty if they are not known
	ppo      threadPPO
	hasPPO   bool
}

// barrierPlaces are where the last barriers before an event are, as in barrier.at, or at it; -1 if there are none. next is the place of the first event at
// or behind the next one.
type barrierPlaces struct{ strong, light, store, next int32 }

// places is a set of places in the expressions.
type places uint16

// base is (fence ∪ rfe;fence);hb*.
const (
	atStep      places = 1 << iota // between two steps of co ∪ prop
	inCom                          // in com* of com*;base*;sync;hb*
	inBase                         // in base* of that, between two of them
	baseRead                       // in one of them, after rfe
	baseHB                         // in one of them, after the fence
	synced                         // in hb* after the sync
	propRead                       // in base ∩ W×W, after rfe
	propHB                         // and after the fence
	observed                       // after fre, before base ∩ W×W
	obsRead                        // in that, after rfe
	obsHB                          // and after the fence; there was no write since
	obsDone                        // there was
	betweenRMWs                    // in (co ∪ [RMW];po;[RMW])⁺
)

// onHB are the places at which hb leads on.
const onHB = baseHB | synced | propHB | obsHB | obsDone

var propSearches = sync.Pool{New: func() any { return &propSearch{} }}

// forbidden reports whether there is a forbidden cycle through id.
func (m *herdingCats) forbidden(g *graph.Graph, id graph.ID) bool {
	s := propSearches.Get().(*propSearch)
	defer propSearches.Put(s)
	s.g, s.m, s.goal = g, m, id
	s.seen = append(s.seen[:0], make([]places, len(g.Events))...)
	for len(s.threads) < len(g.Threads) {
		s.threads = append(s.threads, threadSearch{})
	}
	for t := range s.threads {
		s.threads[t].barriers, s.threads[t].hasPPO = s.threads[t].barriers[:0], false
	}
	e := &g.Events[id]
	from := inCom | observed
	if e.Kind == graph.Write {
		from = atStep
		if isLocked(e) {
			from |= betweenRMWs
		}
	}
	return s.overwritten(e, from)
}

// overwritten goes on at the first write that is co- or fr-after e.
func (s *propSearch) overwritten(e *graph.Event, at places) bool {
	co := s.g.Locs[e.Loc].Co
	next := s.g.Key(e)/2 + 1
	return at != 0 && int(next) < len(co) && s.leads(co[next], at)
}

// leads reports whether the cycle can be closed from an event at one of the places.
func (s *propSearch) leads(id graph.ID, at places) bool {
	g := s.g
	e := &g.Events[id]
	isWrite := e.Kind == graph.Write
	if isWrite && at&obsHB != 0 {
		at |= obsDone
	}
	if at&synced != 0 || isWrite && at&propHB != 0 {
		at |= atStep
	}
	if at&atStep != 0 {
		at |= inCom
	}
	if at&(inCom|baseHB) != 0 {
		at |= inBase
	}
	if id == s.goal {
		if isWrite {
			return at&(atStep|betweenRMWs) != 0
		}
		return at&(synced|obsDone) != 0
	}
	if at &^= s.seen[id]; at == 0 {
		return false
	}
	s.seen[id] |= at
	if s.later(e, at, isWrite) {
		return true
	}
	switch e.Kind {
	case graph.Read:
		return s.overwritten(e, at&inCom)
	case graph.Write:
		return s.overwritten(e, at&(atStep|inCom|observed|betweenRMWs)) || s.readers(id, e, at)
	case graph.Create:
		first := g.Threads[e.Val.Lo]
		return len(first) > 0 && s.leads(first[0], strongly(at, false))
	case graph.End:
		return e.Co > 0 && anyJoin(g, id, func(join graph.ID) bool { return s.leads(join, strongly(at, false)) })
	}
	return false
}

// fenced is where a fence leads from the places at, of a write or not.
func fenced(at places, isWrite bool) places {
	to := at & onHB
	if at&(inBase|baseRead) != 0 {
		to |= baseHB
	}
	if at&propRead != 0 || isWrite && at&atStep != 0 {
		to |= propHB
	}
	if at&(observed|obsRead) != 0 {
		to |= obsHB
	}
	return to
}

// strongly is where a full fence leads.
func strongly(at places, isWrite bool) places {
	to := fenced(at, isWrite)
	if at&inBase != 0 {
		to |= synced
	}
	return to
}

// later follows what is ordered within the thread of e.
func (s *propSearch) later(e *graph.Event, at places, isWrite bool) bool {
	g := s.g
	sync := isSync(e)
	if !sync && !isAccess(e) {
		return false
	}
	strong, light, plain := strongly(at, isWrite), fenced(at, isWrite), at&onHB
	var rmw places
	if isLocked(e) {
		rmw = at & betweenRMWs
	}
	if strong|rmw == 0 {
		return false
	}
	i := e.Index
	evs := g.Threads[e.Thread]
	t := &s.threads[e.Thread]
	if len(t.barriers) == 0 {
		t.barriers = s.m.barrierPlaces(g, evs, t.barriers)
	}
	j := i + 1
	if plain == 0 && rmw == 0 && !sync {
		j = t.barriers[i].next
	}
	for ; int(j) < len(evs); j++ {
		y := &g.Events[evs[j]]
		var to places
		switch last := &t.barriers[j]; {
		case sync || isSync(y):
			to = strong
		case !isAccess(y):
			continue
		case last.strong > 2*i || s.m.armv7 && isWrite && y.Kind == graph.Write && last.store > 2*i:
			to = strong
		case last.light > 2*i && !(isWrite && y.Kind == graph.Read) || last.store > 2*i && isWrite && y.Kind == graph.Write:
			to = light
		case plain != 0 && s.preserves(t, e, j):
			to = plain
		}
		if rmw != 0 && isLocked(y) {
			to |= rmw
		}
		if to != 0 && s.leads(evs[j], to) {
			return true
		}
	}
	return false
}

// preserves reports whether ppo orders e before the event at place j.
func (s *propSearch) preserves(t *threadSearch, e *graph.Event, j int32) bool {
	if e.Kind != graph.Read {
		return false
	}
	if !t.hasPPO || e.Index < t.ppo.from {
		s.m.build(s.g, e.Thread, e.Index, &t.ppo)
		t.hasPPO = true
	}
	return t.ppo.has(e.Index, j)
}

// barrierPlaces appends those of the events of a thread.
func (m *herdingCats) barrierPlaces(g *graph.Graph, evs []graph.ID, to []barrierPlaces) []barrierPlaces {
	mapping := m.mapping()
	last := barrierPlaces{strong: -1, light: -1, store: -1}
	done := 0 // events whose next is known
	put := func(tag event.Tag, at int) {
		if tag == event.NoTag {
			return
		}
		for ; 2*done < at; done++ {
			to[done].next = int32(at+1) / 2
		}
		switch tag {
		case event.SYNC, event.DMBSY, fullBarrier:
			last.strong = int32(at)
		case event.LWSYNC:
			last.light = int32(at)
		case event.EIEIO, event.DMBST:
			last.store = int32(at)
		}
	}
	for i, id := range evs {
		switch e := &g.Events[id]; {
		case isAccess(e):
			put(mapping.ahead(e, m.raw), 2*i-1)
			to = append(to, last)
			put(mapping.behind(e, m.raw), 2*i+1)
			continue
		case isSync(e):
			put(fullBarrier, 2*i)
		case e.Kind == graph.Fence:
			put(mapping.tagOf(e), 2*i)
		}
		to = append(to, last)
	}
	for ; done < len(to); done++ {
		to[done].next = int32(len(evs))
	}
	return to
}

// readers follows rf from the write w.
func (s *propSearch) readers(w graph.ID, e *graph.Event, at places) bool {
	internal := at & inCom
	external := internal | at&onHB
	if at&inBase != 0 {
		external |= baseRead
	}
	if at&atStep != 0 {
		external |= propRead
	}
	if at&observed != 0 {
		external |= obsRead
	}
	if external == 0 {
		return false
	}
	l := &s.g.Locs[e.Loc]
	for t := range l.Last {
		to := external
		if int32(t) == e.Thread {
			to = internal
		}
		if to == 0 {
			continue
		}
		for r := l.Last[t].Read; r != graph.None; r = s.g.Events[r].Prev {
			if s.g.Events[r].RF == w && s.leads(r, to) {
				return true
			}
		}
	}
	return false
}
