package justify

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/bitset"
	"ravel/internal/report"
)

// A Stage is one step of a justification, in words: an execution, and which of its actions are committed in it.
type Stage struct {
	Commits   []string          `json:"commits"`           // the actions that are committed now
	Reads     []string          `json:"reads"`             // what the reads of the execution see
	Looping   []int             `json:"looping,omitempty"` // threads that go on and on in a loop, beyond what is shown
	Execution *report.Execution `json:"-"`                 // with the committed actions marked
	Target    bool              `json:"target"`            // the last stage: the execution that is justified
	Committed int               `json:"committed"`         // how many actions are, after the stage, without initial writes
}

// Justification returns the stages that lead to an outcome; the last one is its execution. There is only that one
// where a model asks for no justification.
func (a *Analysis) Justification(o *Outcome) []Stage {
	t := o.target
	var out []Stage
	for _, s := range merge(o.stages, t) {
		v := s.view
		vals := a.stageValues(o, v, s.from)
		st := Stage{Execution: a.drawing(v.g, vals, func(i int) string {
			at := slices.Index(v.toG, i)
			switch {
			case at < 0 || !s.to.Has(at):
				return ""
			case s.from.Has(at):
				return "committed"
			}
			return "committed here"
		})}
		for _, e := range members(s.to &^ s.from) {
			st.Commits = append(st.Commits, v.g.action(v.toG[e], vals))
		}
		st.Reads = v.g.readings(vals)
		for i, pt := range v.g.paths {
			if pt.cut {
				st.Looping = append(st.Looping, a.Test.Threads[i].ID)
			}
		}
		for range members(s.to &^ (1<<t.inits - 1)) {
			st.Committed++
		}
		out = append(out, st)
	}
	last := Stage{Target: true, Reads: t.readings(&o.values), Committed: len(t.events) - t.inits}
	last.Execution = a.drawing(t, &o.values, func(int) string { return "" })
	return append(out, last)
}

// merge joins stages in the same execution that commit no reads: the rules allow to do it at once.
func merge(stages []stage, t *graph) []stage {
	var out []stage
	for _, s := range stages {
		if n := len(out); n > 0 && out[n-1].view == s.view && s.to&^s.from&t.reads == 0 && out[n-1].to&^out[n-1].from&t.reads == 0 {
			out[n-1].to = s.to
			continue
		}
		out = append(out, s)
	}
	return out
}

// stageValues returns the values of the execution of a stage.
func (a *Analysis) stageValues(o *Outcome, v *view, committed mask) *values {
	if v.g.values.complete(v.g.shape) {
		return &v.g.values
	}
	given := make([]uint64, len(v.g.events))
	var fixed mask
	for _, e := range members(committed & o.target.writes) {
		given[v.toG[e]] = o.values.written[e]
		fixed |= bitset.One(v.toG[e])
	}
	vals := &values{}
	v.g.propagate(v.g.rf, fixed, given, vals)
	return vals
}

func (e *event) mode() string {
	for _, m := range []struct{ set, name string }{{"V", "volatile"}, {"ACQ", "acquire"}, {"REL", "release"}, {"O", "opaque"}} {
		if slices.Contains(e.sets, m.set) {
			return " (" + m.name + ")"
		}
	}
	return ""
}

// number returns a value of so many bytes with its sign.
func number(v uint64, size uint8) int64 {
	shift := 64 - 8*size
	return int64(v<<shift) >> shift
}

// describe says what an event does.
func (g *graph) describe(i int, v *values) string {
	e := g.events[i]
	name := ""
	if e.loc >= 0 {
		name = g.prog.places[e.loc].name
	}
	switch e.kind {
	case readEvent:
		return fmt.Sprintf("read %s = %d%s", name, number(v.read[i], e.size), e.mode())
	case writeEvent:
		return fmt.Sprintf("%s = %d%s", name, number(v.written[i], e.size), e.mode())
	case updateEvent:
		return fmt.Sprintf("%s: %d → %d%s", name, number(v.read[i], e.size), number(v.written[i], e.size), e.mode())
	case fenceEvent:
		return e.instr.Text
	case externalEvent:
		return fmt.Sprintf("print %d", number(v.shown(g, i), e.size))
	case startEvent, joinEvent:
		return fmt.Sprintf("%s Thread%d", kindNames[e.kind], e.other)
	}
	return strings.TrimSpace(kindNames[e.kind] + " " + name)
}

// action is describe with the thread.
func (g *graph) action(i int, v *values) string {
	if i < g.inits {
		return "initially " + g.describe(i, v)
	}
	return fmt.Sprintf("Thread%d: %s", g.events[i].thread, g.describe(i, v))
}

// readings says where each read gets its value from.
func (g *graph) readings(v *values) []string {
	var out []string
	for _, r := range members(g.reads) {
		from := "the initial value"
		if w := g.rf[r]; w >= g.inits {
			from = fmt.Sprintf("Thread%d", g.events[w].thread)
		}
		out = append(out, fmt.Sprintf("%s, from %s", g.action(r, v), from))
	}
	return out
}

// drawing is an execution as package report shows it.
func (a *Analysis) drawing(g *graph, v *values, mark func(i int) string) *report.Execution {
	x := &report.Execution{}
	refs := make([]*report.Ref, len(g.events))
	rows := make([]int, len(g.events)) // place of the read, or of the only half
	for i := g.inits; i < len(g.events); i++ {
		e := g.events[i]
		th := len(x.Threads) - 1
		if th < 0 || x.Threads[th].ID != e.thread {
			x.Threads = append(x.Threads, report.Thread{ID: e.thread})
			th++
		}
		evs := &x.Threads[th].Events
		ev := report.Event{Kind: report.Fence, Text: g.describe(i, v), Mark: mark(i), Order: i}
		if e.loc >= 0 {
			ev.Loc = g.prog.places[e.loc].name
		}
		if e.instr != nil {
			ev.Location = report.Location{File: a.Test.File, Line: e.instr.Line, Column: e.instr.Col}
		}
		rows[i] = len(*evs)
		switch e.kind {
		case readEvent:
			ev.Kind, ev.Value = report.Read, fmt.Sprint(number(v.read[i], e.size))
		case writeEvent:
			ev.Kind, ev.Value = report.Write, fmt.Sprint(number(v.written[i], e.size))
			refs[i] = &report.Ref{Thread: e.thread, Index: rows[i]}
		case updateEvent:
			ev.Kind, ev.RMW, ev.Value = report.Read, "xchg", fmt.Sprint(number(v.read[i], e.size))
			*evs = append(*evs, ev)
			refs[i] = &report.Ref{Thread: e.thread, Index: rows[i] + 1}
			ev.Kind, ev.Value, ev.Mark = report.Write, fmt.Sprint(number(v.written[i], e.size)), ""
		}
		*evs = append(*evs, ev)
	}
	for i := g.inits; i < len(g.events); i++ {
		if !g.reads.Has(i) {
			continue
		}
		for t := range x.Threads {
			if x.Threads[t].ID == g.events[i].thread {
				x.Threads[t].Events[rows[i]].From = refs[g.rf[i]]
			}
		}
	}
	return x
}
