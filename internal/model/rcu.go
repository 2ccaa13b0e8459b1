package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// A gracePeriod is a synchronize_rcu or synchronize_srcu.
type gracePeriod struct {
	id         graph.ID
	thread, at int32
}

// A reader is a read-side critical section: the place of its end, or, of RCU, of the end of what there is of its thread.
type reader struct {
	lock        graph.ID
	thread, end int32
}

// sections are what the fences of RCU, or of one srcu_struct, delimit.
type sections struct {
	srcu    event.Value // the address of the srcu_struct; 0 is RCU
	gps     []gracePeriod
	readers []reader
}

// sections returns the critical sections and grace periods of the graph.
func (x *exec) sections() []*sections { return sectionsOf(x.g) }

// sectionsOf returns the critical sections and grace periods of a graph. Of nested RCU sections only the outermost is there: it
// orders what the inner ones do. The end of an SRCU section names its beginning.
func sectionsOf(g *graph.Graph) []*sections {
	var all []*sections
	in := func(v event.Value) *sections {
		for _, s := range all {
			if s.srcu == v {
				return s
			}
		}
		all = append(all, &sections{srcu: v})
		return all[len(all)-1]
	}
	for t, evs := range g.Threads {
		depth := 0
		outer := graph.Init
		for i, id := range evs {
			e := &g.Events[id]
			if id == graph.Init || e.Kind != graph.Fence {
				continue
			}
			at := int32(i)
			switch e.Tag {
			case event.SyncRCU:
				s := in(event.Value{})
				s.gps = append(s.gps, gracePeriod{id, int32(t), at})
			case event.SyncSRCU:
				s := in(event.Value{Lo: e.Val.Lo})
				s.gps = append(s.gps, gracePeriod{id, int32(t), at})
			case event.SRCULock:
				if r, ok := srcuReader(g, id); ok {
					s := in(event.Value{Lo: e.Val.Lo})
					s.readers = append(s.readers, r)
				}
			case event.RCULock:
				if depth == 0 {
					outer = id
				}
				depth++
			case event.RCUUnlock:
				if depth--; depth == 0 {
					s := in(event.Value{})
					s.readers = append(s.readers, reader{outer, int32(t), at})
				}
				depth = max(depth, 0)
			}
		}
		if depth > 0 {
			s := in(event.Value{})
			s.readers = append(s.readers, reader{outer, int32(t), int32(len(evs))})
		}
	}
	return all
}

// srcuReader returns the critical section that begins with the event lock, if it has ended: the end has the same value, and may be in another thread.
func srcuReader(g *graph.Graph, lock graph.ID) (r reader, ended bool) {
	e := &g.Events[lock]
	for t, evs := range g.Threads {
		for i, id := range evs {
			if u := &g.Events[id]; id != graph.Init && u.Kind == graph.Fence && u.Tag == event.SRCUUnlock && u.Val == e.Val {
				return reader{lock, int32(t), int32(i)}, true
			}
		}
	}
	return reader{}, false
}
