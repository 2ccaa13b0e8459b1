package catmodel

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// classes yields every class of a kind.
func classes(k kind, f func(class)) {
	switch k {
	case initial, sync, other:
		f(class{kind: k})
		return
	case added:
		for t := event.NoTag; t <= event.FenceI; t++ {
			f(class{kind: k, tag: t})
		}
		return
	}
	tags := []event.Tag{event.NoTag, event.AcquireA, event.AcquirePC, event.ReleaseL, event.AqRl}
	if k == fence {
		tags = tags[:1]
		for t := event.MFENCE; t <= event.FenceI; t++ {
			tags = append(tags, t)
		}
	}
	for m := event.NA; m <= event.SC; m++ {
		for _, t := range tags {
			f(class{k, m, 0, t})
			if m == event.NA {
				continue // read-modify-writes are atomic
			}
			if k == read {
				f(class{k, m, graph.Locked, t})
				f(class{k, m, graph.Locked | graph.RMWPart, t})
			}
			if k == write {
				f(class{k, m, graph.RMWPart, t})
			}
		}
	}
}

// mask returns the tests that events of a class pass. Whether it passes a test may not depend on the class only: then the
// test is not passed, and exact is false.
func (t *tests) mask(p *cat.Program, d *dialect, c class) (mask uint64, exact bool) {
	in := map[string]bool{}
	d.sets(c, func(name string) { in[name] = true })
	exact = true
	for i, x := range t.list {
		v := p.Member(x.set, func(name string) cat.Truth {
			switch {
			case in[name]:
				return cat.Yes
			case !cat.Settled(name):
				return cat.Maybe
			}
			return cat.No
		})
		if x.not {
			v = cat.Yes - v
		}
		switch v {
		case cat.Yes:
			mask |= 1 << i
		case cat.Maybe:
			exact = false
		}
	}
	return mask, exact
}

// possible returns a function that reports whether some event of one of several kinds may pass all of a set of tests.
func (t *tests) possible(p *cat.Program, d *dialect) func(need uint64, among kinds) bool {
	negated := &tests{}
	for _, x := range t.list {
		negated.list = append(negated.list, test{x.set, !x.not})
	}
	var most [numKinds][]uint64
	for k := range numKinds {
		for _, no := range negated.masks(p, d, k, 0) {
			most[k] = append(most[k], ^no)
		}
	}
	return func(need uint64, among kinds) bool {
		for k := range numKinds {
			if among>>k&1 != 0 && slices.ContainsFunc(most[k], func(m uint64) bool { return need&^m == 0 }) {
				return true
			}
		}
		return false
	}
}

// masks returns the different masks of the events of a kind, of those that have some flags.
func (t *tests) masks(p *cat.Program, d *dialect, k kind, flags uint8) []uint64 {
	var out []uint64
	classes(k, func(c class) {
		if c.flags&flags != flags {
			return
		}
		m, _ := t.mask(p, d, c)
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	})
	return out
}

// A maskTable has the tests that events pass, by their class, for dialects where classes are seen at the events themselves.
type maskTable [int(numKinds) << 10]uint64

// kindOf is the kind of an event.
var kindOf = [...]kind{
	graph.InitWrite: initial, graph.Start: sync, graph.End: sync, graph.Create: sync, graph.Join: sync,
	graph.Read: read, graph.Write: write, graph.Fence: fence, graph.Alloc: other, graph.Free: other, graph.Choice: other,
}

func tableIndex(k kind, m event.Mode, flags uint8, tag event.Tag) int {
	return int(k)<<10 | int(m)<<7 | int(flags&graph.RMWPart|flags&graph.Locked>>2)<<5 | int(tag)
}

// table returns the masks of all classes. It is nil if a test depends on more than the class.
func (t *tests) table(p *cat.Program, d *dialect) *maskTable {
	var out maskTable
	ok := true
	for k := range numKinds {
		classes(k, func(c class) {
			mask, exact := t.mask(p, d, c)
			ok = ok && exact
			switch k {
			case initial, sync, other:
				for m := event.NA; m <= event.SC; m++ {
					out[tableIndex(k, m, 0, 0)] = mask
				}
			case read, write:
				if c.tag == event.NoTag {
					out[tableIndex(k, c.mode, c.flags, 0)] = mask
				}
			default:
				out[tableIndex(k, c.mode, c.flags, c.tag)] = mask
			}
		})
	}
	if !ok {
		return nil
	}
	return &out
}

// of returns the tests that e passes.
func (t *maskTable) of(e *graph.Event) uint64 {
	tag := event.NoTag
	flags := e.Flags
	switch e.Kind {
	case graph.Fence:
		tag, flags = e.Tag, 0
	case graph.Read:
	case graph.Write:
		flags &= graph.RMWPart
	default:
		flags = 0
	}
	return t[tableIndex(kindOf[e.Kind], e.Mode, flags, tag)]
}
