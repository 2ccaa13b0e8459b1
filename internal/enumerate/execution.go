package enumerate

import (
	"ravel/internal/cat"
	"ravel/internal/litmus"
	"ravel/internal/relation"
)

// An Execution is one candidate with what the model says of it. It is valid until the callback that it is given
// to returns.
type Execution struct {
	Events []Event
	Exec   *cat.Exec     // sets and relations, over the same numbers
	Co     *relation.Rel // the coherence order; that of Exec has no unlocks of the kernel's spinlocks
	Result *cat.Result   // Failed is the check that forbids it; Flags
	State  []litmus.Value
	// Positive: the final state makes the proposition of the test's condition true.
	Positive bool
	ThinAir  bool // some values only depend on themselves
	ordered  bool // Exec has a coherence order
	inside   bool // registers are events
	merged   bool // read-modify-writes are one event
	rule     string

	derivation func() []string // see Derivation
}

// Forbidden is the check that forbids the execution, or what the model chooses by.
func (x *Execution) Forbidden() string {
	if x.rule != "" {
		return x.rule
	}
	return x.Result.Failed.Title()
}

// Witness is what the check that forbids the execution points at, nil if it does not.
func (x *Execution) Witness() *cat.Witness {
	if x.rule != "" {
		return nil
	}
	return x.Result.Witness()
}

// An Event is an access or a fence; for models that look inside instructions, also an access of a register or a decision.
type Event struct {
	Thread int           // index in Test.Threads, -1 for initial writes
	Instr  *litmus.Instr // nil for initial writes
	Kind   string        // R, W or F; Rreg, Wreg or B
	Sets   []string
	Loc    string // x or x[1] or x+4, "" for fences
	Value  litmus.Value
}

// Inside reports whether the event is inside an instruction: no access of memory, and no fence.
func (e *Event) Inside() bool { return e.Kind == "Rreg" || e.Kind == "Wreg" || e.Kind == "B" }

// execution describes the current execution.
func (s *search) execution(r *cat.Result) *Execution {
	x := &Execution{Exec: s.x, Co: s.co, Result: r, ThinAir: s.thinAir, ordered: s.c.usesCo, inside: s.c.inside, merged: s.merged}
	for i, e := range s.events {
		ev := Event{Thread: s.thread[i], Kind: "W", Value: s.vals[i].v}
		if l := s.at[i]; l >= 0 {
			ev.Loc = s.name(s.locs[l])
		}
		if e != nil {
			ev.Kind = [...]string{"R", "W", "F", "Rreg", "Wreg", "B"}[e.kind]
			ev.Sets = e.sets
			if e.inside.reg != "" {
				ev.Loc = string(e.inside.reg)
			}
			ev.Instr = &s.runners[s.thread[i]].Thread.Instrs[e.op.Ins]
		}
		x.Events = append(x.Events, ev)
	}
	if s.merged {
		events := x.Events
		x.Events, x.Exec, x.Co = nil, s.y, relation.NewRel(len(s.shows))
		for _, i := range s.shows {
			x.Events = append(x.Events, events[i])
		}
		s.mergeRel(x.Co, s.co, false)
	}
	out := s.outcome()
	x.State, x.Positive = out.values[:s.observed.shown], out.positive
	return x
}

func (s *search) name(l location) string {
	v := s.test.Var(l.name)
	size := int64(v.Type.Size)
	if v.Array && l.off%size == 0 {
		return litmus.Loc{Thread: -1, Var: l.name, Index: int(l.off / size)}.String()
	}
	return litmus.AddrOf(l.name, l.off).String()
}

// Derivation says, line by line, why the execution is allowed, if other executions are the reason.
func (x *Execution) Derivation() []string {
	if x.derivation == nil {
		return nil
	}
	return x.derivation()
}
