package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/cat"
	"ravel/internal/enumerate"
	"ravel/internal/herd"
	"ravel/internal/litmus"
	"ravel/internal/relation"
	"ravel/internal/report"
)

// A Witness is an execution that ends in the state of a difference, and why models forbid it.
type Witness struct {
	Model  string // that allows it
	Events []Event
	Rf, Co [][2]int // pairs of events; co without what follows from the rest
	Why    []Reason

	Execution *report.Execution // the same as pictures show it, with the cycle of the first model that points at one
}

// An Event is an access or a fence of a witness.
type Event struct {
	Thread int // -1 for initial writes
	Label  string
	Source string // the instruction
}

// A Reason is what a model has against an execution.
type Reason struct {
	Model string
	Check string // the name of the check, or what it tests
	// Cycle is the events of the violation, each related to the next by Edges, the last one to the first; of an empty relation it is
	// one pair. It is nil where the check does not point at anything.
	Cycle []int
	Edges []string
	// Same: the execution that the model forbids is the witness itself, with its rf and co; otherwise it is another one with that state.
	Same bool
}

// Explain finds a witness for a difference of an outcome.
func (o *Outcome) Explain(d *Difference, opts Options) (*Witness, error) {
	w := &Witness{Model: d.Allowed[0].Name, Why: make([]Reason, len(d.Forbidden))}
	key := fmt.Sprint(d.Values)
	var sign signature
	var failed error
	run := enumerate.Options{Unroll: opts.Unroll, Ctx: opts.Ctx}
	run.OnExecution = func(x *enumerate.Execution) bool {
		if fmt.Sprint(x.State) != key {
			return true
		}
		w.describe(x)
		w.Execution = herd.Draw(o.Test, x)
		sign = signatureOf(x)
		for k, m := range d.Forbidden {
			if w.Why[k], failed = judge(o.Test, m, x); failed != nil {
				break
			}
		}
		return false
	}
	if _, err := enumerate.Run(o.Test, d.Allowed[0], run); err != nil || failed != nil {
		return nil, errors.Join(err, failed)
	}
	for k, m := range d.Forbidden {
		if w.Why[k].Check == "" {
			var err error
			if w.Why[k], err = search(o.Test, m, key, sign, opts); err != nil {
				return nil, err
			}
		}
	}
	w.drawCycle(o.Test)
	return w, nil
}

// drawCycle shows in the picture what a model has against the execution.
func (w *Witness) drawCycle(t *litmus.Test) {
	k := slices.IndexFunc(w.Why, func(r Reason) bool { return r.Same && len(r.Cycle) > 0 })
	if k < 0 || w.Execution == nil {
		return
	}
	refs, next := make([]*report.Ref, len(w.Events)), map[int]int{}
	for i, e := range w.Events {
		if e.Thread >= 0 {
			refs[i] = &report.Ref{Thread: t.Threads[e.Thread].ID, Index: next[e.Thread]}
			next[e.Thread]++
		}
	}
	c := &report.Cycle{Check: w.Why[k].Check, Edges: w.Why[k].Edges}
	if c.Check != w.Why[k].Model {
		c.Check += " of " + w.Why[k].Model
	}
	for _, i := range w.Why[k].Cycle {
		c.Events = append(c.Events, refs[i])
	}
	w.Execution.Cycle = c
}

// judge asks a model what it has against an execution; the check of the reason is "" if it cannot say.
func judge(t *litmus.Test, m *enumerate.Model, x *enumerate.Execution) (Reason, error) {
	r := Reason{Model: m.Name}
	consistent := false
	_, err := m.Judge(t, x, func(res *cat.Result) {
		switch {
		case res.OK():
			consistent = true
		case r.Check == "":
			r = newReason(m, x, res.Failed.Title(), res.Witness())
			r.Same = true
		}
	})
	if consistent {
		r.Check = ""
	}
	return r, err
}

// newReason says which check fails, and its cycle unless that goes through the inside of an instruction.
func newReason(m *enumerate.Model, x *enumerate.Execution, check string, v *cat.Witness) Reason {
	r := Reason{Model: m.Name, Check: check}
	if v == nil || slices.ContainsFunc(v.Events, func(e int) bool { return x.Events[e].Inside() }) {
		return r
	}
	at := numbers(x)
	for _, e := range v.Events {
		r.Cycle = append(r.Cycle, at[e])
	}
	r.Edges = slices.Clone(v.Edges)
	return r
}

// search runs a test to find what a model has against the execution with a signature, or against another one that ends in the state.
func search(t *litmus.Test, m *enumerate.Model, key string, sign signature, opts Options) (Reason, error) {
	best, found := Reason{Model: m.Name}, 0
	run := enumerate.Options{Unroll: opts.Unroll, Ctx: opts.Ctx}
	run.OnRejected = func(x *enumerate.Execution) bool {
		if fmt.Sprint(x.State) != key {
			return true
		}
		match := 1 + sign.match(signatureOf(x))
		if match <= found {
			return true
		}
		found = match
		best = newReason(m, x, x.Forbidden(), x.Witness())
		best.Same = match == matchAll+1
		return !best.Same
	}
	_, err := enumerate.Run(t, m, run)
	return best, err
}

// describe copies an execution.
func (w *Witness) describe(x *enumerate.Execution) {
	at := numbers(x)
	for _, e := range x.Events {
		if e.Inside() {
			continue
		}
		ev := Event{Thread: e.Thread, Label: e.Kind}
		if e.Loc != "" {
			ev.Label += fmt.Sprintf(" %s=%s", e.Loc, e.Value)
		} else {
			ev.Label += " " + strings.Join(e.Sets, " ")
		}
		if e.Instr != nil {
			ev.Source = e.Instr.Text
		}
		w.Events = append(w.Events, ev)
	}
	rf, co := x.Exec.Rel("rf"), x.Co
	for a := range x.Events {
		for b := range x.Events {
			if rf.Has(a, b) {
				w.Rf = append(w.Rf, [2]int{at[a], at[b]})
			}
			if co.Has(a, b) && x.Events[a].Thread >= 0 {
				direct := true
				for c := range x.Events {
					direct = direct && !(co.Has(a, c) && co.Has(c, b))
				}
				if direct {
					w.Co = append(w.Co, [2]int{at[a], at[b]})
				}
			}
		}
	}
}

// A signature tells executions apart: the events, who reads from whom, and the coherence order.
type signature struct{ events, rf, co string }

// How much two signatures have in common.
const (
	matchNone = iota
	matchRf
	matchAll
)

func (s signature) match(t signature) int {
	switch {
	case s == t:
		return matchAll
	case s.events == t.events && s.rf == t.rf:
		return matchRf
	}
	return matchNone
}

func signatureOf(x *enumerate.Execution) signature {
	var s signature
	at := numbers(x)
	pairs := func(r *relation.Rel) string {
		var out []string
		for a, b := range r.Pairs() {
			out = append(out, fmt.Sprint(at[a], at[b]))
		}
		return strings.Join(out, ";")
	}
	for _, e := range x.Events {
		if e.Inside() {
			continue
		}
		s.events += fmt.Sprintf("%d %s %s %s;", e.Thread, e.Kind, e.Loc, e.Value)
	}
	s.rf, s.co = pairs(x.Exec.Rel("rf")), pairs(x.Co)
	return s
}

// numbers returns the number of each event among those that every model sees: accesses of memory and fences.
func numbers(x *enumerate.Execution) []int {
	at, n := make([]int, len(x.Events)), 0
	for i := range x.Events {
		if !x.Events[i].Inside() {
			at[i] = n
			n++
		}
	}
	return at
}
