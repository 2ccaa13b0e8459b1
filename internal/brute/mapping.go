package brute

import "ravel/internal/event"

// A mapping says how C11 is compiled for an architecture with fences. What it adds to the instructions
// of the program are no events: a barrier stands in the gap before or after an event.
type mapping struct {
	fence         func(m event.Mode) event.Tag // what a C11 fence becomes
	before, after func(e Event) event.Tag      // what stands around an access, or NoTag
}

// A barrier is a fence at a place of a thread: an event i is at 2i, so that
// 2i-1 is just before it and 2i+1 just after it.
type barrier struct {
	at  int
	tag event.Tag
}

// barriers returns the fences of the program and, unless raw, those that
// the mapping puts around accesses: around a read-modify-write as a whole.
func (g *graph) barriers(m mapping, raw bool) []barrier {
	var bs []barrier
	put := func(at int, tag event.Tag) {
		if tag != event.NoTag {
			bs = append(bs, barrier{at, tag})
		}
	}
	for i, e := range g.evs {
		switch {
		case e.Kind == F && e.Tag != event.NoTag:
			put(2*i, e.Tag)
		case e.Kind == F && e.Mode > event.Rlx:
			put(2*i, m.fence(e.Mode))
		case e.Kind == F || raw || e.Tag != event.NoTag || g.init.has(i):
		default:
			if !(e.Kind == W && e.Locked) {
				put(2*i-1, m.before(e))
			}
			if g.rmw[i] == 0 {
				put(2*i+1, m.after(e))
			}
		}
	}
	return bs
}

// across is po between accesses from before to after a barrier with one of the tags.
func (g *graph) across(bs []barrier, tags ...event.Tag) (r rel) {
	for _, b := range bs {
		for _, tag := range tags {
			if b.tag != tag {
				continue
			}
			for i := range g.evs {
				for j := range g.evs {
					if g.po.has(i, j) && 2*i < b.at && b.at < 2*j {
						r.add(i, j)
					}
				}
			}
		}
	}
	return and(r, cross(g.r|g.w, g.r|g.w))
}

// tagged are the events of a set with one of the tags.
func (g *graph) tagged(s set, tags ...event.Tag) (t set) {
	for i, e := range g.evs {
		for _, tag := range tags {
			if s.has(i) && e.Tag == tag {
				t |= 1 << i
			}
		}
	}
	return t
}

// untagged are the accesses that the mapping translates by their modes: none if raw.
func (g *graph) untagged(raw bool) set {
	if raw {
		return 0
	}
	return g.tagged(g.r|g.w, event.NoTag) &^ g.init
}

func noTag(Event) event.Tag { return event.NoTag }
