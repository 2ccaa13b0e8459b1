package herd

import (
	"fmt"
	"io"
	"strings"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
	"ravel/internal/relation"
	"ravel/internal/report"
)

// A Picture is an execution to draw; if a check forbids it, the events of the cycle are marked.
type Picture struct {
	title string
	x     *report.Execution
	cycle int // events in the cycle
}

// WriteSVG draws the picture.
func (p *Picture) WriteSVG(w io.Writer) error {
	return report.WriteSVG(w, p.title, p.x, report.Options{})
}

// WriteDOT prints the picture for Graphviz.
func (p *Picture) WriteDOT(w io.Writer) error {
	return report.WriteDOT(w, p.title, p.x, report.Options{})
}

func newPicture(t *litmus.Test, x *enumerate.Execution) *Picture {
	p := &Picture{title: t.Name + ": allowed", x: &report.Execution{}}
	marks := map[int]string{}
	if k := x.Result.Failed; k != nil {
		p.title = fmt.Sprintf("%s: forbidden by %s", t.Name, k.Title())
		p.x.Cycle = &report.Cycle{Check: k.Title()}
		if w := x.Result.Witness(); w != nil {
			p.cycle, p.x.Cycle.Edges = len(w.Events), w.Edges
			for i, e := range w.Events {
				if i < len(w.Edges) {
					marks[e] = fmt.Sprintf("%d: then by %s", i+1, w.Edges[i])
				} else {
					marks[e] = fmt.Sprint(i + 1)
				}
			}
		}
	}
	refs := map[int]*report.Ref{}
	for _, th := range t.Threads {
		p.x.Threads = append(p.x.Threads, report.Thread{ID: th.ID})
	}
	for i := range x.Events {
		if e := &x.Events[i]; e.Thread >= 0 && !e.Inside() {
			th := &p.x.Threads[e.Thread]
			refs[i] = &report.Ref{Thread: th.ID, Index: len(th.Events)}
			th.Events = append(th.Events, reportEvent(t, e, marks[i]))
		}
	}
	rf, co := x.Exec.Rel("rf"), x.Co
	for i, ref := range refs {
		ev := &p.x.Threads[x.Events[i].Thread].Events[ref.Index]
		for j := range x.Events {
			if rf.Has(j, i) {
				ev.From = refs[j]
			}
			if ev.Kind == report.Write && co.Has(j, i) {
				ev.CoIndex++
			}
		}
	}
	if c := p.x.Cycle; c != nil && len(c.Edges) > 0 {
		for _, e := range x.Result.Witness().Events {
			c.Events = append(c.Events, refs[e])
		}
	}
	p.x.Relations = relationsOf(x, refs)
	return p
}

// shownRelations are those that pictures can show beside po, rf, co and fr: those of the vocabulary, then those of models, which
// show the order that they make of the others.
var shownRelations = []struct{ name, long string }{
	{"addr", "the address depends on it"},
	{"data", "the value depends on it"},
	{"ctrl", "whether it runs depends on it"},
	{"rmw", "the halves of a read-modify-write"},
	{"sw", "synchronises with"},
	{"hb", "happens before"},
	{"ppo", "program order that is preserved"},
	{"ob", "ordered before"},
}

// relationsOf returns the pairs of shownRelations that do not follow from others.
func relationsOf(x *enumerate.Execution, refs map[int]*report.Ref) (list []report.Relation) {
	for i, r := range shownRelations {
		var rel *relation.Rel
		if given := i < 4; given {
			rel = x.Exec.Rel(r.name)
		} else {
			rel = x.Result.Rel(r.name)
		}
		if rel == nil {
			continue
		}
		out := report.Relation{Name: r.name, Long: r.long}
		for a, b := range rel.Pairs() {
			if refs[a] == nil || refs[b] == nil || a == b || i >= 4 && implied(rel, a, b) {
				continue
			}
			if part := x.Result.Part(r.name, a, b); part == r.name || part == "" {
				out.Pairs = append(out.Pairs, report.Pair{From: *refs[a], To: *refs[b]})
			} else {
				out.Pairs = append(out.Pairs, report.Pair{From: *refs[a], To: *refs[b], Why: "by " + part})
			}
		}
		if len(out.Pairs) > 0 {
			list = append(list, out)
		}
	}
	return list
}

// implied reports whether a pair follows from two others.
func implied(r *relation.Rel, a, b int) bool {
	for c := range r.Len() {
		if c != a && c != b && r.Has(a, c) && r.Has(c, b) {
			return true
		}
	}
	return false
}

func reportEvent(t *litmus.Test, e *enumerate.Event, mark string) report.Event {
	ev := report.Event{
		Loc: e.Loc, Value: e.Value.String(), Mark: mark,
		Location: report.Location{File: t.File, Line: e.Instr.Line, Column: e.Instr.Col},
	}
	sets := ""
	if len(e.Sets) > 0 {
		sets = " " + strings.Join(e.Sets, ".")
	}
	switch e.Kind {
	case "R":
		ev.Kind, ev.Text = report.Read, fmt.Sprintf("R%s %s = %v", sets, e.Loc, e.Value)
	case "W":
		ev.Kind, ev.Text = report.Write, fmt.Sprintf("W%s %s = %v", sets, e.Loc, e.Value)
	default:
		ev.Kind, ev.Text = report.Fence, "F"+sets
	}
	return ev
}

// Draw returns an execution as package report shows it.
func Draw(t *litmus.Test, x *enumerate.Execution) *report.Execution { return newPicture(t, x).x }
