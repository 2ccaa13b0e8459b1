package brute

import (
	"fmt"
	"slices"
	"testing"

	"ravel/internal/event"
)

// A machine is the operational counterpart of SC, TSO and PSO: memory and a store buffer per
// thread (Owens et al., TPHOLs'09; for PSO stores to different locations leave it in any order).
type machine struct {
	model   Model
	mem     []uint32
	buffers [][]Event // writes, and fences that keep the writes around them in order
	threads [][]Event // what is done
	prog    *Prog
}

// run explores all interleavings from here and adds the outcomes: what each thread did, and
// the final memory.
func (m machine) run(seen, outcomes map[string]bool) {
	state := fmt.Sprint(m.mem, m.buffers, m.threads)
	if seen[state] {
		return
	}
	seen[state] = true
	done := true
	for t := range m.threads {
		for i := range m.buffers[t] {
			if m.mayLeave(m.buffers[t], i) {
				done = false
				m.leave(t, i).run(seen, outcomes)
			}
		}
		if next, ok := m.step(t); ok {
			done = false
			next.run(seen, outcomes)
		}
	}
	if done {
		outcomes[outcome(m.threads, m.mem)] = true
	}
}

func outcome(threads [][]Event, mem []uint32) string {
	var s string
	for _, evs := range threads {
		for _, e := range evs {
			s += fmt.Sprint(e.Kind, e.Loc, e.Val, " ")
		}
		s += "|"
	}
	return s + fmt.Sprint(mem)
}

func (m machine) clone() machine {
	m.mem, m.buffers, m.threads = slices.Clone(m.mem), slices.Clone(m.buffers), slices.Clone(m.threads)
	return m
}

func (m machine) mayLeave(buffer []Event, i int) bool {
	if m.model != PSO {
		return i == 0
	}
	for _, e := range buffer[:i] {
		if e.Kind == F || buffer[i].Kind == F || e.Loc == buffer[i].Loc {
			return false
		}
	}
	return true
}

func (m machine) leave(t, i int) machine {
	m = m.clone()
	if e := m.buffers[t][i]; e.Kind == W {
		m.mem[e.Loc] = e.Val
	}
	m.buffers[t] = slices.Delete(slices.Clone(m.buffers[t]), i, i+1)
	return m
}

// step performs the next statement of thread t: the thread is run again with the values that it
// received and the one it would read now, and what it does up to its next read is done, one event
// (or read-modify-write) a step.
func (m machine) step(t int) (machine, bool) {
	var vals []uint32
	for _, e := range m.threads[t] {
		if e.Kind == R {
			vals = append(vals, e.Val)
		}
	}
	done := len(m.threads[t])
	evs, need := m.prog.Threads[t].run(vals)
	if len(evs) == done {
		if need == NoLoc {
			return m, false
		}
		v := m.mem[need]
		for _, e := range m.buffers[t] {
			if e.Kind == W && e.Loc == need {
				v = e.Val
			}
		}
		evs, _ = m.prog.Threads[t].run(append(vals, v))
	}
	e := evs[done]
	if len(m.buffers[t]) > 0 && (e.Locked || e.Kind == F && e.Mode == event.SC) {
		return m, false // waits until its buffer is empty
	}
	m = m.clone()
	add := func(e Event) { m.threads[t] = append(slices.Clip(m.threads[t]), e) }
	add(e)
	switch {
	case e.Kind == R && e.Locked && done+1 < len(evs) && evs[done+1].Kind == W && evs[done+1].Locked:
		w := evs[done+1]
		add(w)
		m.mem[w.Loc] = w.Val
	case e.Kind == W && m.model == SC:
		m.mem[e.Loc] = e.Val
	case e.Kind == W, e.Kind == F && e.Mode.IsRel() && e.Mode != event.SC:
		m.buffers[t] = append(slices.Clip(m.buffers[t]), e)
	}
	return m, true
}

// The axioms of SC, TSO and PSO allow the outcomes of the machines.
func TestOperational(t *testing.T) {
	programs(t, 300, Config{Total: 8}, func(p *Prog) {
		for _, model := range []Model{SC, TSO, PSO} {
			want := make(map[string]bool)
			k := len(p.Threads)
			machine{model, make([]uint32, len(p.Locs)), make([][]Event, k), make([][]Event, k), p}.run(make(map[string]bool), want)
			got := make(map[string]bool)
			for _, x := range Enumerate(p, model) {
				mem := make([]uint32, len(p.Locs))
				for l, ws := range x.Co {
					if len(ws) > 0 {
						last := ws[len(ws)-1]
						mem[l] = x.Threads[last.Thread][last.Index].Val
					}
				}
				o := outcome(x.Threads, mem)
				got[o] = true
				if !want[o] {
					t.Errorf("%v\n%s machine does not do\n%s", p, model, x.Key())
				}
			}
			for o := range want {
				if !got[o] {
					t.Errorf("%v\n%s: no execution for %s", p, model, o)
				}
			}
		}
	})
}
