package catmodel

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// A dialect is what the programs are that a model speaks of: C, or the instructions of an architecture.
type dialect struct {
	name string
	arch *model.Architecture // nil: C and x86, whose accesses are what they are
	raw  bool
	full []string // the sets of a barrier that orders everything: thread creation and join are ones
}

// What the names of a model tell about its dialect, the most telling first. A tells nothing: it is an acquire on AArch64, but all atomic
// accesses in C.
var telling = []struct {
	dialect string
	names   []string
}{
	{"AArch64", []string{"DMB.SY", "DMB.LD", "DSB.SY", "DSB.LD"}},
	{"ARM", []string{"DMB", "DSB", "DMB.ST", "DSB.ST"}},
	{"Power", []string{"SYNC", "LWSYNC", "ISYNC", "EIEIO"}},
	{"RISC-V", []string{
		"Fence.r.r", "Fence.r.w", "Fence.r.rw", "Fence.w.r", "Fence.w.w", "Fence.w.rw",
		"Fence.rw.r", "Fence.rw.w", "Fence.rw.rw", "Fence.tso",
	}},
	{"x86", []string{"MFENCE", "SFENCE", "LFENCE"}},
	{"C", []string{"NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC"}},
	{"AArch64", []string{"Q", "L", "ISB"}},
	{"RISC-V", []string{"Acq", "Rel", "AcqRel"}},
}

// dialectOf returns the dialect of a model that uses these sets.
func dialectOf(uses map[string]bool, raw bool) *dialect {
	for _, t := range telling {
		for _, name := range t.names {
			if uses[name] {
				return makeDialect(t.dialect, raw)
			}
		}
	}
	return makeDialect("C", raw)
}

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

func makeDialect(name string, raw bool) *dialect {
	d := &dialect{name: name, raw: raw}
	switch name {
	case "AArch64":
		d.arch, d.full = model.ArchitectureOf("armv8", raw), []string{"F", "DMB.SY"}
	case "ARM":
		d.arch, d.full = model.ArchitectureOf("armv7", raw), []string{"F", "DMB"}
	case "Power":
		d.arch, d.full = model.ArchitectureOf("power", raw), []string{"F", "SYNC"}
	case "RISC-V":
		d.arch, d.full = model.ArchitectureOf("riscv", raw), []string{"F", "Fence.rw.rw"}
	}
	return d
}

// fenceSets names the fences of architectures.
var fenceSets = map[event.Tag]string{
	event.MFENCE: "MFENCE", event.SFENCE: "SFENCE", event.LFENCE: "LFENCE",
	event.DMBSY: "DMB.SY", event.DMBLD: "DMB.LD", event.DMBST: "DMB.ST",
	event.DSBSY: "DSB.SY", event.DSBLD: "DSB.LD", event.DSBST: "DSB.ST", event.ISB: "ISB",
	event.SYNC: "SYNC", event.LWSYNC: "LWSYNC", event.ISYNC: "ISYNC", event.EIEIO: "EIEIO",
	event.FenceRR: "Fence.r.r", event.FenceRW: "Fence.r.w", event.FenceRM: "Fence.r.rw",
	event.FenceWR: "Fence.w.r", event.FenceWW: "Fence.w.w", event.FenceWM: "Fence.w.rw",
	event.FenceMR: "Fence.rw.r", event.FenceMW: "Fence.rw.w", event.FenceMM: "Fence.rw.rw",
	event.FenceTSO: "Fence.tso", event.FenceI: "Fence.i",
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
		if name := d.fenceSet(c.tag); name != "" {
			f(name)
		}
		if c.kind == added {
			return
		}
		if d.name == "C" {
			f("NA") // herd's name for all that is no atomic access
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
		if d.name == "x86" { // what the mode becomes there; SFENCE is for models in which stores are not in order
			if c.mode == event.SC && c.tag != event.MFENCE {
				f("MFENCE")
			}
			if c.mode.IsRel() && c.tag != event.SFENCE {
				f("SFENCE")
			}
		}
		return
	}
	if d.name == "C" && c.mode != event.NA || d.name == "x86" && c.flags != 0 {
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
	}
}

func (d *dialect) fenceSet(t event.Tag) string {
	if d.name == "ARM" && t == event.DMBSY {
		return "DMB"
	}
	return fenceSets[t]
}

// barriers appends the barriers that the compilation mapping adds to thread t.
func (d *dialect) barriers(g *graph.Graph, t int32, to []model.Barrier) []model.Barrier {
	switch {
	case d.arch != nil:
		return d.arch.Barriers(g, t, to)
	case d.name != "x86" || d.raw:
		return to
	}
	for i := range g.Threads[t] {
		e := &g.Events[g.At(t, int32(i))]
		if e.Kind != graph.Write || e.Flags&graph.RMWPart != 0 {
			continue
		}
		if e.Mode.IsRel() {
			to = append(to, model.Barrier{Before: i, Tag: event.SFENCE})
		}
		if e.Mode == event.SC {
			to = append(to, model.Barrier{Before: i + 1, Tag: event.MFENCE})
		}
	}
	return to
}

// addsBarriers reports whether the compilation mapping adds barriers to a graph.
func (d *dialect) addsBarriers(g *graph.Graph) bool {
	if d.name != "x86" || d.raw {
		return false
	}
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Write && e.Mode.IsRel() && e.Flags&graph.RMWPart == 0 {
			return true
		}
	}
	return false
}
