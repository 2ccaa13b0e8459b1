package machine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
	"ravel/internal/machine"
)

// TestDepsBrute compares the dependencies with those that brute finds by the text of the program, in all its executions.
func TestDepsBrute(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 100
	}
	r := rand.New(rand.NewPCG(3, 1))
	arena := &machine.Arena{}
	for range n {
		p := brute.Random(r, brute.Config{Deps: true, NA: true, Threads: 3, PerThread: 6, Total: 9})
		prog := brute.Lower(p)
		c, err := machine.Compile(prog, machine.Options{Deps: true, SpinAssume: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range brute.Enumerate(p, brute.SC) {
			for i, evs := range x.Threads {
				arena.Release(0)
				if err := compareDeps(c, arena, i, prog.Funcs[1+i].Addr, evs); err != nil {
					t.Fatalf("%v\nthread %d, %v: %v", p, i, evs, err)
				}
			}
		}
	}
}

// compareDeps runs a thread with the values that the reads among evs receive. The event i of evs has place i+1.
func compareDeps(p *machine.Program, a *machine.Arena, t int, fn event.Addr, evs []brute.Event) error {
	var act machine.Action
	s := p.Start(a, t+1, fn, event.Value{}, &act)
	set := func(d brute.Deps) (list []int32) {
		for i := range evs {
			if d.Has(i) {
				list = append(list, int32(i+1))
			}
		}
		return list
	}
	for i := 0; i < len(evs); i++ {
		e := &evs[i]
		data, first := brute.Deps(0), i
		if e.Kind == brute.W {
			data = e.Data
		} else if act.Kind == machine.RMW && i+1 < len(evs) && evs[i+1].Kind == brute.W && evs[i+1].Locked {
			i++
			data = evs[i].Data
		}
		for _, x := range []struct {
			name string
			got  event.DepSet
			want brute.Deps
		}{{"addr", act.AddrDep, e.Addr}, {"ctrl", act.CtrlDep, e.Ctrl}, {"exp", act.ExpDep, e.Cas}, {"data", act.DataDep, data}} {
			if x.name == "data" && act.Kind == machine.RMW && act.RMW == event.CAS && i == first {
				continue // it failed, so that it has no write
			}
			if got, want := a.Deps().Members(x.got), set(x.want); !slices.Equal(got, want) {
				return fmt.Errorf("event %d: %s is %v, want %v", first, x.name, got, want)
			}
		}
		s = p.Resume(a, s, event.Value{Lo: uint64(e.Val)}, &act)
	}
	if act.Kind != machine.Exit {
		return fmt.Errorf("the thread goes on")
	}
	return nil
}
