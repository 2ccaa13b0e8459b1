package compare

import (
	"fmt"
	"strings"
)

// Name is the letter of an event; initial writes have the name of what they write.
func (w *Witness) Name(e int) string {
	if w.Events[e].Thread < 0 {
		return "init " + strings.TrimPrefix(w.Events[e].Label, "W ")
	}
	k := 0
	for i := range e {
		if w.Events[i].Thread >= 0 {
			k++
		}
	}
	if k < 26 {
		return string(rune('a' + k))
	}
	return fmt.Sprint("e", k)
}

// String is the execution and the reasons, for people.
func (w *Witness) String() string {
	var b strings.Builder
	width := 0
	for _, e := range w.Events {
		if e.Thread >= 0 {
			width = max(width, len(e.Label))
		}
	}
	for i, e := range w.Events {
		if e.Thread >= 0 {
			fmt.Fprintf(&b, "    %s: P%d  %-*s  %s\n", w.Name(i), e.Thread, width, e.Label, e.Source)
		}
	}
	for _, r := range []struct {
		name  string
		pairs [][2]int
	}{{"rf", w.Rf}, {"co", w.Co}} {
		if len(r.pairs) == 0 {
			continue
		}
		fmt.Fprintf(&b, "    %s:", r.name)
		for k, p := range r.pairs {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s → %s", w.Name(p[0]), w.Name(p[1]))
		}
		b.WriteByte('\n')
	}
	for _, r := range w.Why {
		fmt.Fprintf(&b, "  %s\n", w.because(r))
	}
	return b.String()
}

// because is a reason in one line.
func (w *Witness) because(r Reason) string {
	if r.Check == "" {
		return fmt.Sprintf("forbidden by %s, which has no candidate execution with this state", r.Model)
	}
	s := fmt.Sprintf("forbidden by %s, check %s", r.Model, r.Check)
	if !r.Same {
		return s + " (on an execution with other reads or another coherence order)"
	}
	if len(r.Cycle) == 0 {
		return s
	}
	s += ": "
	for k, part := range w.Path(r) {
		if k%2 == 1 {
			part = " -" + part + "→ "
		}
		s += part
	}
	return s
}

// Path is the cycle of a reason: an event, a relation, an event, …, and the first event again. It is empty if the execution that the
// model forbids is not the witness.
func (w *Witness) Path(r Reason) (list []string) {
	if !r.Same || len(r.Cycle) == 0 {
		return nil
	}
	list = append(list, w.Name(r.Cycle[0]))
	for k, edge := range r.Edges {
		list = append(list, edge, w.Name(r.Cycle[(k+1)%len(r.Cycle)]))
	}
	return list
}
