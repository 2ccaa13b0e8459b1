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

// A reader is a read-side critical section: the place of its end, or of the end of what there is of its thread.
type reader struct {
	lock        graph.ID
	thread, end int32
	open        bool
}

// sections are what the fences of RCU, or of one srcu_struct, delimit.
type sections struct {
	struct_ event.Value // the address of the srcu_struct; 0 is RCU
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
			if s.struct_ == v {
				return s
			}
		}
		all = append(all, &sections{struct_: v})
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
			case event.RCULock:
				if depth == 0 {
					outer = id
				}
				depth++
			case event.RCUUnlock:
				if depth--; depth == 0 {
					s := in(event.Value{})
					s.readers = append(s.readers, reader{outer, int32(t), at, false})
				}
				depth = max(depth, 0)
			}
		}
		if depth > 0 {
			s := in(event.Value{})
			s.readers = append(s.readers, reader{outer, int32(t), int32(len(evs)), true})
		}
	}
	return all
}
