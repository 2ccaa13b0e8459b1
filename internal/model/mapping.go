package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A mapping says how C11 is compiled for a processor, by its table in package arch. The fences that it adds to a
// program are not events: they stand in the gap before or after an access.
type mapping struct {
	*arch.Mapping
	own    [event.NumTags]event.Tag // what a tagged fence is on the processor, NoTag if it is one of another
	kernel map[event.Tag]event.Tag  // what the kernel's fences are
	full   event.Tag                // the fence that orders everything
	marks  map[event.Tag]string     // the orders that accesses can have
}

func newMapping(name arch.Name) *mapping {
	d := arch.Of(name)
	return &mapping{d.C11, d.Own(), d.Kernel, d.Full, d.Marks}
}

var (
	mappingARMv8 = newMapping(arch.AArch64)
	mappingARMv7 = newMapping(arch.ARM)
	mappingPower = newMapping(arch.PPC)
	mappingRISCV = newMapping(arch.RISCV)
	mappingX86   = newMapping(arch.X86_64)
)

// access returns what an access becomes whose mode is mapped.
func (m *mapping) access(e *graph.Event) *arch.Access {
	switch {
	case e.Kind == graph.Write && e.Flags&graph.RMWPart != 0:
		return &m.Write[e.Mode]
	case e.Kind == graph.Write:
		return &m.Store[e.Mode]
	case e.Flags&graph.Locked == 0:
		return &m.Load[e.Mode]
	case e.Flags&graph.RMWPart == 0:
		return &m.Failed[e.Mode]
	}
	return &m.Read[e.Mode]
}

// mark returns the order of an access itself: its tag, or what its mode becomes.
func (m *mapping) mark(e *graph.Event, raw bool) event.Tag {
	if isMapped(e, raw) {
		return m.access(e).Mark
	}
	return e.Tag
}

// branches reports whether a branch follows the access e that its instructions end with: on what was read, or on the result of the store. What
// the kernel does without looking at the result is not a loop.
func (m *mapping) branches(e *graph.Event, raw bool) bool {
	switch {
	case !isMapped(e, raw):
		return false
	case m.Loop == arch.OnRead:
		return e.Kind == graph.Read && (e.Flags&graph.Locked != 0 || m.Load[e.Mode].Tested)
	}
	return m.Loop == arch.OnStatus && e.Tag != event.Noreturn && e.Kind == graph.Write && e.Flags&graph.RMWPart != 0
}

// A barrier is a fence at a place of a thread: event i is at 2i, so that 2i-1 is just before it and
// 2i+1 just after it.
type barrier struct {
	at  int
	tag event.Tag
}

// tagOf returns what a fence is on the architecture: its tag, or what its mode becomes.
func (m *mapping) tagOf(e *graph.Event) event.Tag {
	if e.Tag.IsKernel() {
		return m.kernel[e.Tag]
	}
	if e.Tag != event.NoTag {
		if t := m.own[e.Tag]; t != event.NoTag {
			return t
		}
	}
	if e.Mode > event.Rlx {
		return m.Fence[e.Mode]
	}
	return event.NoTag
}

// isMapped reports whether the mapping says what the access e is: it has no tag, or one of the kernel.
func isMapped(e *graph.Event, raw bool) bool {
	return !raw && e.Tag == event.NoTag || e.Tag.IsKernel()
}

// hasTags reports whether there are instructions that are none of C11.
func (x *exec) hasTags() bool {
	for _, id := range x.ids {
		if id != graph.Init && x.g.Events[id].Tag != event.NoTag {
			return true
		}
	}
	return false
}

// barriersOf returns the barriers among the first n events of a thread: its fences, and unless raw those of the mapping.
func (m *mapping) barriersOf(g *graph.Graph, t, n int, raw bool) []barrier {
	var bs []barrier
	put := func(at int, tag event.Tag) {
		if tag != event.NoTag {
			bs = append(bs, barrier{at, tag})
		}
	}
	for i := range n {
		id := g.At(int32(t), int32(i))
		if id == graph.Init {
			continue
		}
		switch e := &g.Events[id]; {
		case e.Kind == graph.Fence:
			put(2*i, m.tagOf(e))
		case isSync(e):
			put(2*i, fullBarrier)
		default:
			put(2*i-1, m.ahead(e, raw))
			put(2*i+1, m.behind(e, raw))
		}
	}
	return bs
}

// fullBarrier is that of thread creation, join and the like: it orders everything, in any model.
const fullBarrier event.Tag = 255

// across is po between accesses from before to after a barrier with one of the tags.
func (x *exec) across(m *mapping, raw bool, tags ...event.Tag) *relation.Rel {
	r := x.newRel()
	for t, bs := range x.barriers(m, raw) {
		for _, b := range bs {
			if b.tag == fullBarrier || hasTag(tags, b.tag) {
				x.addAcross(r, x.g.Threads[t], b.at)
			}
		}
	}
	return r
}

// addAcross adds the pairs of accesses around a barrier.
func (x *exec) addAcross(r *relation.Rel, evs []graph.ID, at int) {
	for i, a := range evs {
		if a == graph.Init || 2*i >= at || !isAccess(&x.g.Events[a]) {
			continue
		}
		for j := i + 1; j < len(evs); j++ {
			if b := evs[j]; b != graph.Init && at < 2*j && isAccess(&x.g.Events[b]) {
				r.Add(int(x.num[a]), int(x.num[b]))
			}
		}
	}
}

// barriers returns the barriers of all threads.
func (x *exec) barriers(m *mapping, raw bool) [][]barrier {
	var all [][]barrier
	for t, evs := range x.g.Threads {
		all = append(all, m.barriersOf(x.g, t, len(evs), raw))
	}
	return all
}

func hasTag(tags []event.Tag, t event.Tag) bool {
	for _, u := range tags {
		if t == u {
			return true
		}
	}
	return false
}

// between calls f with the barriers between x and e, po-later, of one thread, until it returns true. e need not be in the graph yet.
func (m *mapping) between(g *graph.Graph, x, e *graph.Event, raw bool, f func(event.Tag) bool) bool {
	if tag := m.behind(x, raw); tag != event.NoTag && f(tag) {
		return true
	}
	for i := x.Index + 1; i < e.Index; i++ {
		id := g.At(x.Thread, i)
		if id == graph.Init {
			continue
		}
		y := &g.Events[id]
		switch {
		case y.Kind == graph.Fence:
			if tag := m.tagOf(y); tag != event.NoTag && f(tag) {
				return true
			}
		case isSync(y):
			if f(fullBarrier) {
				return true
			}
		default:
			if tag := m.ahead(y, raw); tag != event.NoTag && f(tag) {
				return true
			}
			if tag := m.behind(y, raw); tag != event.NoTag && f(tag) {
				return true
			}
		}
	}
	tag := m.ahead(e, raw)
	return tag != event.NoTag && f(tag)
}

// ahead and behind return what the mapping puts before and after an access: around an RMW as a whole.
func (m *mapping) ahead(e *graph.Event, raw bool) event.Tag {
	if isAccess(e) && isMapped(e, raw) && (e.Kind == graph.Read || e.Flags&graph.RMWPart == 0) {
		return m.access(e).Before
	}
	return event.NoTag
}

func (m *mapping) behind(e *graph.Event, raw bool) event.Tag {
	if isAccess(e) && isMapped(e, raw) && (e.Kind == graph.Write || e.Flags&graph.RMWPart == 0) {
		if e.Tag == event.Full && e.Flags&graph.RMWPart != 0 {
			return m.full
		}
		return m.access(e).After
	}
	return event.NoTag
}
