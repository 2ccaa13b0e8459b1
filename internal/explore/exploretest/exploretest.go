// Package exploretest compares execution graphs with those of the brute-force enumerator, for the tests of the engine's packages.
package exploretest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ravel/internal/brute"
	"ravel/internal/graph"
	"ravel/internal/ir"
)

// Compare writes how the keys got differ from those wanted.
func Compare(diff *strings.Builder, want map[string]bool, got []string) {
	seen := map[string]bool{}
	for _, k := range got {
		switch {
		case seen[k]:
			fmt.Fprintf(diff, "twice:\n%s\n", k)
		case !want[k]:
			fmt.Fprintf(diff, "extra:\n%s\n", k)
		}
		seen[k] = true
	}
	for k := range want {
		if !seen[k] {
			fmt.Fprintf(diff, "missing:\n%s\n", k)
		}
	}
}

// ExecutionOf returns a graph as brute would.
func ExecutionOf(p *brute.Prog, prog *ir.Program, g *graph.Graph, observed bool) brute.Execution {
	return ExecutionFrom(1, p, prog, g, observed)
}

// ExecutionFrom is ExecutionOf for graphs in which the first thread of p has this number.
func ExecutionFrom(first int, p *brute.Prog, prog *ir.Program, g *graph.Graph, observed bool) brute.Execution {
	x := brute.Execution{Prog: p, Co: make([][]brute.Ref, len(p.Locs)), Threads: make([][]brute.Event, len(p.Threads))}
	ref := map[graph.ID]brute.Ref{graph.Init: brute.Init}
	number := threadsOf(first, p, g)
	lists := make([][]*graph.Event, len(p.Threads))
	for n, t := range number {
		skip := 0 // what starts the others, if main is one of the threads
		if n == 0 {
			for i := range p.Threads[1:] {
				if !p.Child(i + 1) {
					skip++
				}
			}
		}
		for _, id := range g.Threads[n] {
			switch e := &g.Events[id]; e.Kind {
			case graph.Create:
				if skip > 0 {
					skip--
					continue
				}
				fallthrough
			case graph.Read, graph.Write, graph.Fence, graph.Join:
				ref[id] = brute.Ref{Thread: t, Index: len(lists[t])}
				lists[t] = append(lists[t], e)
			}
		}
	}
	for t, list := range lists {
		for _, e := range list {
			b := brute.Event{Kind: brute.F, Loc: brute.NoLoc, Mode: e.Mode, Tag: e.Tag, Val: uint32(e.Val.Lo)}
			switch e.Kind {
			case graph.Create:
				b.Kind, b.Other = brute.S, number[int32(e.Val.Lo)]
			case graph.Join:
				b.Kind, b.Other = brute.J, number[g.Events[e.RF].Thread]
			case graph.Read, graph.Write:
				b.Loc = p.LocAt(prog, g.Locs[e.Loc].Addr)
				b.Kind = brute.W
				if e.Kind == graph.Read {
					b.Kind, b.Src = brute.R, ref[e.RF]
					b.Failed = e.Flags&graph.Spurious != 0
				}
			}
			x.Threads[t] = append(x.Threads[t], b)
		}
	}
	for i := range g.Locs {
		if l := &g.Locs[i]; l.Size > 0 {
			n := p.LocAt(prog, l.Addr)
			for _, id := range l.Co[1:] {
				x.Co[n] = append(x.Co[n], ref[id])
			}
		}
	}
	if observed {
		x.Co = nil
	}
	return x
}

// threadsOf returns, by the numbers of g's threads, which threads of p these are.
func threadsOf(first int, p *brute.Prog, g *graph.Graph) map[int32]int {
	number := map[int32]int{}
	next := int32(first)
	for t := range p.Threads {
		if !p.Child(t) {
			number[next] = t
			next++
		}
	}
	todo := slices.Collect(maps.Keys(number))
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		var vals []uint32
		var created []int32
		for _, id := range g.Threads[n] {
			switch e := &g.Events[id]; {
			case e.Kind == graph.Read:
				vals = append(vals, uint32(e.Val.Lo))
			case e.Kind == graph.Create && number[int32(e.Val.Lo)] == 0:
				created = append(created, int32(e.Val.Lo))
			}
		}
		for i, t := range p.Threads[number[n]].Starts(vals) {
			number[created[i]] = t
			todo = append(todo, created[i])
		}
	}
	return number
}

// GraphKey is what two graphs have in common iff they are the same execution.
func GraphKey(g *graph.Graph) string {
	var b bytes.Buffer
	put := func(id graph.ID) {
		e := &g.Events[id]
		binary.Write(&b, binary.LittleEndian, [2]int32{e.Thread, e.Index})
	}
	for _, ids := range g.Threads {
		for _, id := range ids {
			e := &g.Events[id]
			b.WriteByte(byte(e.Kind))
			put(id)
			binary.Write(&b, binary.LittleEndian, [2]uint64{e.Val.Lo, e.Val.Hi})
			if e.Kind == graph.Read {
				put(e.RF)
			}
			if e.Kind == graph.Read || e.Kind == graph.Write {
				binary.Write(&b, binary.LittleEndian, g.Locs[e.Loc].Addr)
			}
		}
	}
	for i := range g.Locs {
		for _, id := range g.Locs[i].Co[1:] {
			put(id)
		}
	}
	return b.String()
}
