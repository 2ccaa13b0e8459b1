package catmodel

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// A dialect is what the programs are that a model speaks of: C, or the instructions of a processor.
type dialect struct {
	*arch.Dialect
	arch *model.Architecture // nil: C and x86, whose accesses are what they are
	raw  bool
	full []string // the sets of a barrier that orders everything: thread creation and join are ones
}

// dialectOf returns the dialect of a model that uses these sets.
func dialectOf(uses map[string]bool, raw bool) *dialect {
	d := &dialect{Dialect: arch.About(func(set string) bool { return uses[set] }), raw: raw}
	if d.C11 != nil && !d.isX86() {
		d.arch, d.full = model.ArchitectureOf(d.Name, raw), []string{"F", d.FenceSet(d.Full)}
	}
	return d
}

func (d *dialect) isC() bool   { return d.Name == arch.C }
func (d *dialect) isX86() bool { return d.Name == arch.X86_64 }

// foreign tells what to do about a set that programs do not have here, but litmus tests have.
func foreign(name string) string {
	switch name {
	case "Once", "Acquire", "Release", "Noreturn", "Mb", "Rmb", "Wmb", "Rcu-lock", "Srcu-lock", "LKR", "LKW", "UL", "After-spinlock":
		return "models of the Linux kernel are for `ravel litmus`, and programs are checked under one with --model lkmm"
	case "O", "RA", "V", "LL", "SS":
		return "models of Java's access modes are for `ravel litmus`, and programs are checked under them with --model jam21 or jam19"
	case "Rreg", "Wreg", "DATA", "ADDR", "BCC", "rf-reg", "iico_data", "iico_ctrl", "iico_order", "NExp":
		return "models that look inside instructions are for `ravel litmus`, and programs are checked under Arm's with --model armv8"
	}
	return ""
}

var modeSets = [...]string{event.NA: "NA", event.Rlx: "RLX", event.Acq: "ACQ", event.Rel: "REL", event.AcqRel: "ACQ_REL", event.SC: "SC"}

// A class is all that decides which sets an event is in.
type class struct {
	kind  kind
	mode  event.Mode
	flags uint8 // RMWPart, Locked
	tag   event.Tag
}

// A kind is what an event is to a model.
type kind uint8

const (
	initial kind = iota
	read
	write
	fence
	added // a fence of the compilation mapping
	sync  // creation, start, end and join of threads
	other // what models know nothing about
	numKinds
)

// hides returns the kinds of events that models do not see: they are in no set, not in po and not in id. What creation, start, end and
// join of threads order is in every order of the model (syncName).
func (d *dialect) hides() kinds {
	if d.full == nil {
		return 1<<other | 1<<sync
	}
	return 1 << other
}

const classFlags = graph.RMWPart | graph.Locked

// classOf returns the class of an event.
func (d *dialect) classOf(e *graph.Event) class {
	switch e.Kind {
	case graph.InitWrite:
		return class{}
	case graph.Read:
		c := class{kind: read, mode: e.Mode, flags: e.Flags & classFlags}
		if d.arch != nil {
			c.tag = d.arch.Access(e)
		}
		return c
	case graph.Write:
		c := class{kind: write, mode: e.Mode, flags: e.Flags & graph.RMWPart}
		if d.arch != nil {
			c.tag = d.arch.Access(e)
		}
		return c
	case graph.Fence:
		c := class{kind: fence, mode: e.Mode, tag: e.Tag}
		if d.arch != nil {
			c.tag = d.arch.Fence(e)
		}
		return c
	case graph.Start, graph.End, graph.Create, graph.Join:
		return class{kind: sync}
	}
	return class{kind: other}
}

// sets calls f with the names of the sets that events of a class are in.
func (d *dialect) sets(c class, f func(string)) {
	switch c.kind {
	case initial:
		f("W")
		f("IW")
		f("NA")
		return
	case read:
		f("R")
		if c.flags&graph.Locked != 0 {
			f("X")
			f("EX")
		}
		if c.flags&graph.RMWPart != 0 {
			f("RMW")
			f("domain(rmw)")
		}
	case write:
		f("W")
		if c.flags&graph.RMWPart != 0 {
			f("X")
			f("EX")
			f("RMW")
			f("range(rmw)")
		}
	case fence, added:
		f("F")
		if name := d.FenceSet(c.tag); name != "" {
			f(name)
		}
		if c.kind == added {
			return
		}
		if d.isC() {
			f("NA") // herd's name for all that is not an atomic access
		}
	case sync:
		for _, name := range d.full {
			f(name)
		}
		return
	default:
		return
	}
	f(modeSets[c.mode])
	if c.kind == fence {
		if d.isX86() { // what the mode becomes there; a full fence is one for stores, too
			t := d.C11.Fence[c.mode]
			if t == event.MFENCE && c.tag != event.MFENCE {
				f("MFENCE")
			}
			if t != event.NoTag && c.tag != event.SFENCE {
				f("SFENCE")
			}
		}
		return
	}
	if d.isC() && c.mode != event.NA || d.isX86() && c.flags != 0 {
		f("A") // atomic: herd's name
	}
	switch c.tag {
	case event.AcquireA:
		f("A")
		f("Acq")
	case event.AcquirePC:
		f("Q")
	case event.ReleaseL:
		f("L")
		f("Rel")
	case event.AqRl:
		f("AcqRel")
		if d.Name == arch.AArch64 { // one instruction, such as SWPAL
			f("AMO")
			f(map[kind]string{read: "A", write: "L"}[c.kind])
		}
	}
}

// barriers appends the barriers that the compilation mapping adds to thread t.
func (d *dialect) barriers(g *graph.Graph, t int32, to []model.Barrier) []model.Barrier {
	switch {
	case d.arch != nil:
		return d.arch.Barriers(g, t, to)
	case !d.isX86() || d.raw:
		return to
	}
	for i := range g.Threads[t] {
		e := &g.Events[g.At(t, int32(i))]
		if e.Kind != graph.Write || e.Flags&graph.RMWPart != 0 {
			continue
		}
		c11 := &d.C11.Store[e.Mode]
		if c11.Before != event.NoTag {
			to = append(to, model.Barrier{Before: i, Tag: c11.Before})
		}
		if c11.After != event.NoTag {
			to = append(to, model.Barrier{Before: i + 1, Tag: c11.After})
		}
	}
	return to
}

// addsBarriers reports whether the compilation mapping adds barriers to a graph.
func (d *dialect) addsBarriers(g *graph.Graph) bool {
	if !d.isX86() || d.raw {
		return false
	}
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Write && d.C11.Store[e.Mode] != (arch.Access{}) && e.Flags&graph.RMWPart == 0 {
			return true
		}
	}
	return false
}
