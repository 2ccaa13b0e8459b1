package report

import (
	"fmt"
	"slices"
	"strings"
)

// An edge joins two rows of a picture.
type edge struct {
	rel      relation
	from, to *step
	label    string // the name of the relation
	why      string // in words
	nth      int    // of those between the same rows that are drawn over the picture
	cycle    bool   // it is part of the cycle that a check forbids
}

// A relation is how edges look: rf, co and fr have places of their own; others are drawn over the picture, and those of the cycle in one colour.
type relation uint8

const (
	rf relation = iota
	co
	fr
	other // of the model
	cycle // of the cycle, where none of the first three is
)

// relations has how each relation looks, wherever it is drawn. Without colours they differ by their dashes and names.
var relations = [...]struct{ name, long, color string }{
	rf:    {"rf", "reads from", "#1a7f37"},
	co:    {"co", "coherence: order of writes", "#8a5a2b"},
	fr:    {"fr", "from read: overwritten by", "#cf222e"},
	other: {"other", "", "#0550ae"},
	cycle: {"cycle", "", "#8250df"},
}

// edges returns the edges of rf, co and fr to draw: rf at locations that several threads use; co between neighbours; fr to the first write that follows
// in co. Edges of co and fr inside a thread are left out, for they always agree with po. Those of the cycle are all there.
func (t *trace) edges() []edge {
	var es []edge
	shared := t.shared()
	for _, s := range t.rows {
		if visible(s) && visible(s.from) && (s.col != s.from.col || shared[s.read.Loc]) {
			es = append(es, edge{rel: rf, from: s.from, to: s})
		}
	}
	for _, s := range t.rows {
		if s.write == nil || !visible(s) {
			continue
		}
		if n := t.nextInCo(s, visible); n != nil && n.col != s.col {
			es = append(es, edge{rel: co, from: s, to: n})
		}
	}
	for _, s := range t.rows {
		if w := t.overwriter(s); visible(s) && visible(w) && w.col != s.col {
			es = append(es, edge{rel: fr, from: s, to: w})
		}
	}
	for i := range es {
		es[i].label, es[i].why = relations[es[i].rel].name, t.why(es[i])
	}
	return t.markCycle(es)
}

func visible(s *step) bool { return s != nil && s.row > 0 && s.fold == "" }

// why says in words why an edge of rf, co or fr is there.
func (t *trace) why(e edge) string {
	a, b := t.name(e.from), t.name(e.to)
	switch e.rel {
	case rf:
		return fmt.Sprintf("rf: %s reads %s = %s, which %s wrote", b, clean(e.to.read.Loc), clean(e.to.read.Value), a)
	case co:
		return fmt.Sprintf("co: of the writes to %s, %s (%s) comes before %s (%s)", clean(e.to.write.Loc), a, clean(e.from.write.Value), b, clean(e.to.write.Value))
	}
	return fmt.Sprintf("fr: %s reads %s = %s, which is older than what %s writes (%s)", a, clean(e.from.read.Loc), clean(e.from.read.Value), b, clean(e.to.write.Value))
}

// markCycle marks the edges that are in the cycle, and adds those that are none of rf, co and fr.
func (t *trace) markCycle(es []edge) []edge {
	c := t.x.Cycle
	if c == nil {
		return es
	}
	for i, name := range c.Edges {
		a, b := c.Events[i], c.Events[(i+1)%len(c.Events)]
		if a == nil || b == nil {
			continue
		}
		from, to := t.byRef[*a], t.byRef[*b]
		if !visible(from) || !visible(to) || from == to {
			continue
		}
		k := slices.IndexFunc(es, func(e edge) bool {
			return e.from == from && e.to == to && routed(e.rel) && strings.HasPrefix(name, e.label)
		})
		if k < 0 {
			k = len(es)
			es = append(es, edge{rel: cycle, from: from, to: to, why: fmt.Sprintf("%s: %s, then %s", name, t.name(from), t.name(to))})
		}
		es[k].label, es[k].cycle = clean(name), true
		es[k].why += "; part of the cycle that " + clean(c.Check) + " forbids"
	}
	return es
}

// routed reports whether a relation is one of rf, co and fr.
func routed(r relation) bool { return r <= fr }

// isDependency reports whether a relation is one of dependencies. Those are drawn also where relations cannot be turned on and off: they are in the program itself.
func (r *Relation) isDependency() bool {
	return r.Name == "addr" || r.Name == "data" || r.Name == "ctrl"
}

// edgesOf returns the edges of a relation of the model.
func (t *trace) edgesOf(r *Relation) (es []edge) {
	for _, p := range r.Pairs {
		from, to := t.near(t.byRef[p.From], -1), t.near(t.byRef[p.To], 1)
		if from == nil || to == nil || from == to {
			continue
		}
		why := clean(p.Why)
		if why == "" {
			why = fmt.Sprintf("%s, then %s", t.name(from), t.name(to))
			if r.Long != "" {
				why += " (" + clean(r.Long) + ")"
			}
		}
		es = append(es, edge{rel: other, from: from, to: to, label: clean(r.Name), why: clean(r.Name) + ": " + why})
	}
	return es
}

// near returns a step, or instead of the start of a thread, which has no row, the next one that has, and instead of its end the one before; nil if there is none.
func (t *trace) near(s *step, by int) *step {
	if s == nil || visible(s) {
		return s
	}
	if by > 0 != (s.ev.Kind == Start) || by < 0 != (s.ev.Kind == End) {
		return nil
	}
	po := t.po[s.col]
	for i := slices.Index(po, s) + by; i >= 0 && i < len(po); i += by {
		if visible(po[i]) {
			return po[i]
		}
	}
	return nil
}

// nextInCo returns the next write after s in co that satisfies ok.
func (t *trace) nextInCo(s *step, ok func(*step) bool) *step {
	if s.write.CoIndex == 0 {
		return nil
	}
	for _, w := range t.co[s.write.Loc] {
		if w.write.CoIndex > s.write.CoIndex && ok(w) {
			return w
		}
	}
	return nil
}

// shared returns the locations that more than one thread uses.
func (t *trace) shared() map[string]bool {
	owner := map[string]int{}
	shared := map[string]bool{}
	for _, s := range t.steps() {
		if s.read == nil && s.write == nil {
			continue
		}
		if c, ok := owner[s.ev.Loc]; ok && c != s.col {
			shared[s.ev.Loc] = true
		}
		owner[s.ev.Loc] = s.col
	}
	return shared
}
