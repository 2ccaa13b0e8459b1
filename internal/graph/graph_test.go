package graph

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"ravel/internal/event"
)

// TestCutRestore builds random graphs, cuts them, adds other events, takes those out again and restores: all
// must be as before.
func TestCutRestore(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := New(3)
		x, _ := g.Loc(event.MakeAddr(0, 1), 4)
		y, _ := g.Loc(event.MakeAddr(0, 2), 4)
		for range 12 {
			addRandom(g, r, [2]int32{x, y})
		}
		before := describe(g)
		slot := r.IntN(len(g.Trail))
		keep := map[ID]bool{}
		for _, id := range g.Trail[slot:] {
			keep[id] = r.IntN(2) == 0
		}
		var saved []ID
		mark := g.Mark()
		old := g.Trail[slot]
		cut := g.CutTo(slot, func(id ID) bool { return keep[id] }, &saved)
		e := &g.Events[old]
		again := g.NewEventAt(e.Thread, e.Index, Fence, event.SC, -1)
		g.AddAt(again, slot, g.Events[old].Stamp)
		n := len(g.Trail)
		for range 3 {
			addRandom(g, r, [2]int32{x, y})
		}
		for len(g.Trail) > n {
			g.Pop()
		}
		g.DropAt(slot, old)
		g.Restore(cut, &saved)
		g.Release(mark)
		if after := describe(g); after != before {
			t.Fatalf("seed %d:\nbefore\n%s\nafter\n%s", seed, before, after)
		}
	}
}

// addRandom adds a read, a write or a fence at the first hole of some thread.
func addRandom(g *Graph, r *rand.Rand, locs [2]int32) {
	t := r.Int32N(3)
	i := g.FirstHole(t)
	loc := locs[r.IntN(2)]
	mode := []event.Mode{event.NA, event.Rlx, event.SC}[r.IntN(3)]
	co := g.Locs[loc].Co
	switch r.IntN(3) {
	case 0:
		id := g.NewEventAt(t, i, Read, mode, loc)
		g.Events[id].RF = co[r.IntN(len(co))]
		g.Add(id, 0)
	case 1:
		g.Add(g.NewEventAt(t, i, Write, mode, loc), 1+r.Int32N(int32(len(co))))
	default:
		g.Add(g.NewEventAt(t, i, Fence, event.SC, -1), 0)
	}
}

// describe prints all of a graph that searches rely on.
func describe(g *Graph) string {
	s := fmt.Sprint(g.Threads, g.Trail, g.SC, g.NumSC, g.Holes, "\n")
	for i := range g.Locs {
		l := &g.Locs[i]
		s += fmt.Sprint(l.Co, l.Last, l.Reads, l.NA, "\n")
		for _, last := range l.Last {
			for _, id := range []ID{last.Read, last.Write} {
				for ; id != Init; id = g.Events[id].Prev {
					s += fmt.Sprint(id, " ")
				}
			}
			s += "|"
		}
		for k, id := range l.Co[1:] {
			if int(g.Events[id].Co) != k+1 {
				s += fmt.Sprintf("co index of %d is %d, not %d", id, g.Events[id].Co, k+1)
			}
		}
	}
	return s
}

// TestJoin checks views against sets.
func TestJoin(t *testing.T) {
	g := New(4)
	view := func(n ...uint32) View {
		v := View(len(g.views))
		g.views = append(g.views, n...)
		return v
	}
	counts := func(v View) []uint32 { return append([]uint32{}, g.views[v:int(v)+4]...) }
	a, b := view(1, 0, 3, 0), view(0, 2, 1, 0)
	if got := counts(g.Join(a, b, 3, 5, NoThread)); !reflect.DeepEqual(got, []uint32{1, 2, 3, 5}) {
		t.Errorf("join: %v", got)
	}
	if g.Join(a, a, 0, 1, NoThread) != a || g.Join(a, 0, 2, 3, NoThread) != a {
		t.Error("a view that has everything is not shared")
	}
	if g.Join(0, b, 1, 2, NoThread) != b {
		t.Error("a larger view is not shared")
	}
}

// TestUse checks that a graph that comes to know more threads has none of their events in the views it has.
func TestUse(t *testing.T) {
	g := New(3)
	g.Use(3)
	old := g.Join(0, 0, 2, 7, NoThread)
	g.Release(Mark{events: 1, views: 3})
	g.Use(2)
	v := g.Join(0, 0, 1, 5, NoThread)
	if v != old {
		t.Fatal("the view is not where the old one was")
	}
	x, _ := g.Loc(event.MakeAddr(0, 1), 4)
	g.Use(3)
	if g.Count(v, 1) != 5 || g.Count(v, 2) != 0 {
		t.Errorf("the view has %d and %d events, not 5 and 0", g.Count(v, 1), g.Count(v, 2))
	}
	if len(g.Threads) != 3 || len(g.Locs[x].Last) != 3 {
		t.Error("the new thread is not known")
	}
}
