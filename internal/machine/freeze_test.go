package machine

import (
	"fmt"
	"testing"

	"ravel/internal/event"
	"ravel/internal/short"
)

// A thread that is frozen and thawed at every stop, with rubbish in the registers that are not live, does the same as one that is not.
func TestFreezer(t *testing.T) {
	defer func() { deadWord = 0 }()
	for seed := range uint64(short.Count(300, 60)) {
		text := randomProgram(seed)
		p := compile(t, text, Options{plain: seed%4 == 3, Undef: seed%3 == 1})
		deadWord = 0
		want := frozenTrace(p, false)
		deadWord = 0xdeadbeefcafe
		if got := frozenTrace(p, true); got != want {
			t.Fatalf("seed %d:\n%s\ngot\n%s\nwant\n%s", seed, text, got, want)
		}
	}
}

// frozenTrace runs main and returns its actions.
func frozenTrace(p *Program, freeze bool) (trace string) {
	z := p.NewFreezer(false)
	a := &fakeArena
	a.Release(0)
	e := &fake{p: p, mem: map[event.Addr]byte{}}
	var act Action
	s := p.StartMain(a, &act)
	for range 2000 {
		trace += fmt.Sprintf("%v %v %v %v %v\n", act.Kind, act.Addr, act.Size, act.Val, act.Exp)
		if act.Kind == Exit || act.Kind == Fail || act.Kind == Block {
			break
		}
		v, ok := e.do(&act)
		if !ok {
			break
		}
		if freeze {
			s = refreeze(z, a, s)
		}
		s = p.Resume(a, s, v, &act)
	}
	return trace
}

// refreeze freezes and thaws a thread.
func refreeze(z *Freezer, a *Arena, s State) State {
	var frames [][]uint64
	for part := Stopped; s != 0; part = Caller {
		var words []uint64
		words, s = z.Top(a, s, part, nil)
		frames = append(frames, words)
	}
	a.Release(0)
	for i := len(frames) - 1; i >= 0; i-- {
		part := Caller
		if i == 0 {
			part = Stopped
		}
		s = z.Thaw(a, frames[i], part, s)
	}
	return s
}
