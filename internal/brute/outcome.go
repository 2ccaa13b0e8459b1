package brute

import (
	"fmt"
	"strings"
)

// Holds evaluates an outcome: equations of the last values of registers, 0:r0=1, and locations, x=1, with & between them.
func (e *Execution) Holds(outcome string) (bool, error) {
	last := e.final()
	holds := true
	for equation := range strings.SplitSeq(outcome, "&") {
		name, val, ok := strings.Cut(equation, "=")
		if _, known := last[name]; !ok || !known {
			return false, fmt.Errorf("%s: %s has no meaning in %v", outcome, equation, e.Prog)
		}
		holds = holds && fmt.Sprint(last[name]) == val
	}
	return holds, nil
}

// final returns the last values of the registers, as 0:r0, and of the locations.
func (e *Execution) final() map[string]uint32 {
	out := make(map[string]uint32)
	for i, evs := range e.Threads {
		r := e.Prog.Threads[i].runner(reads(evs))
		for j, name := range e.Prog.Threads[i].Regs {
			out[fmt.Sprintf("%d:%s", i, name)] = r.regs[j]
		}
	}
	for l, ws := range e.Co {
		out[e.Prog.Locs[l]] = 0
		if n := len(ws); n > 0 {
			out[e.Prog.Locs[l]] = e.Threads[ws[n-1].Thread][ws[n-1].Index].Val
		}
	}
	return out
}

// reads returns what the reads of a thread receive.
func reads(evs []Event) (vals []uint32) {
	for _, e := range evs {
		if e.Kind == R {
			vals = append(vals, e.Val)
		}
	}
	return vals
}
