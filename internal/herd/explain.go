package herd

import (
	"fmt"
	"io"
	"slices"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
	"ravel/internal/report"
)

// A Reason is a check of the model that forbids executions which the condition asks for.
type Reason struct {
	Check      string   `json:"check"`      // its name, or what it tests
	Executions int      `json:"executions"` // so many fail it, and none of the checks before it
	Cycle      []string `json:"cycle"`      // of one of them: event, relation, event, …
}

// explain finds out which checks forbid the executions that the condition asks for.
func (m *models) explain(t *litmus.Test, model *enumerate.Model, o enumerate.Options, e *Entry) error {
	o.OnExecution = nil
	o.OnRejected = func(x *enumerate.Execution) bool {
		if !interesting(t, x) {
			return true
		}
		name := x.Forbidden()
		i := slices.IndexFunc(e.Reasons, func(r Reason) bool { return r.Check == name })
		if i < 0 {
			i = len(e.Reasons)
			e.Reasons = append(e.Reasons, Reason{Check: name})
		}
		r := &e.Reasons[i]
		if cycle := cycleText(t, x); r.Executions == 0 || len(cycle) < len(r.Cycle) {
			r.Cycle = cycle
		}
		r.Executions++
		if m.config.Picture && (e.Picture == nil || i > 0 && e.Picture.cycle == 0) {
			e.Picture = newPicture(t, x)
		}
		return true
	}
	_, err := enumerate.Run(t, model, o)
	return err
}

// cycleText is the witness of the check that fails, event by event.
func cycleText(t *litmus.Test, x *enumerate.Execution) []string {
	w := x.Witness()
	if w == nil {
		return nil
	}
	var out []string
	for i, e := range w.Events {
		out = append(out, eventText(t, &x.Events[e]))
		if i < len(w.Edges) {
			out = append(out, w.Edges[i])
		}
	}
	return out
}

// orderText lists the events of pushto, a total order.
func orderText(t *litmus.Test, x *enumerate.Execution) []string {
	pushto := x.Result.Rel("pushto")
	if pushto == nil {
		return nil
	}
	var events []int
	for i := range x.Events {
		for j := range x.Events {
			if pushto.Has(i, j) || pushto.Has(j, i) {
				events = append(events, i)
				break
			}
		}
	}
	slices.SortFunc(events, func(a, b int) int {
		if pushto.Has(a, b) {
			return -1
		}
		return 1
	})
	var out []string
	for _, i := range events {
		out = append(out, eventText(t, &x.Events[i]))
	}
	return out
}

// eventText describes an event: "P1 LDR W2,[X3] (reads x = 0)".
func eventText(t *litmus.Test, e *enumerate.Event) string {
	if e.Instr == nil {
		return fmt.Sprintf("initially %s = %v", e.Loc, e.Value)
	}
	at := fmt.Sprintf("P%d:%d %s", t.Threads[e.Thread].ID, e.Instr.Line, e.Instr.Text)
	switch e.Kind {
	case "R":
		return fmt.Sprintf("%s (reads %s = %v)", at, e.Loc, e.Value)
	case "W":
		return fmt.Sprintf("%s (writes %s = %v)", at, e.Loc, e.Value)
	case "Rreg":
		return fmt.Sprintf("%s (reads register %s)", at, e.Loc)
	case "Wreg":
		return fmt.Sprintf("%s (writes register %s)", at, e.Loc)
	case "B":
		return at + " (decides)"
	}
	return at
}

// writeReasons prints what forbids the outcome, or, where it is allowed, an execution that has it.
func (e *Entry) writeReasons(w io.Writer) error {
	if e.explained && len(e.Reasons) == 0 && e.Picture != nil {
		if err := report.WriteExecution(w, "Allowed, for example like this", e.Picture.x, report.Options{Full: true}); err != nil {
			return err
		}
		for i, ev := range e.Order {
			if i == 0 {
				fmt.Fprintln(w, "  pushto, the order of what is before a full fence or a volatile access that follows:")
			}
			fmt.Fprintf(w, "    %s\n", ev)
		}
		for _, line := range e.Derivation {
			fmt.Fprintf(w, "  %s\n", line)
		}
		return nil
	}
	for _, r := range e.Reasons {
		noun := "executions"
		if r.Executions == 1 {
			noun = "execution"
		}
		fmt.Fprintf(w, "Forbidden by %s (%d %s)\n", r.Check, r.Executions, noun)
		for i := 0; i < len(r.Cycle); i += 2 {
			fmt.Fprintf(w, "    %s\n", r.Cycle[i])
			if i+1 < len(r.Cycle) {
				fmt.Fprintf(w, "      --%s-->\n", r.Cycle[i+1])
			}
		}
	}
	return nil
}
