package machine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir/arith"
	"ravel/internal/short"
)

// TestNondet compares what programs do with the values that stand for all of a type with what they do with each of them.
func TestNondet(t *testing.T) {
	programs := short.Count(500, 100)
	fewer := 0
	for seed := range uint64(programs) {
		g := &asker{Rand: rand.New(rand.NewPCG(seed, 1)), widths: []int{8}, budget: 40}
		g.statements(5)
		program := func(first string) *Program {
			return compile(t, "global x 1\ndeclare __VERIFIER_nondet_char() 1\ndeclare __ravel_assume(%c) 0\nfunc main() 1 {\ne:\n  %r = copy 0\n  %v0 = "+
				first+"\n"+g.code.String()+"  ret %r\n}\n", Options{zero: true})
		}
		// The first action of a run is the choice or the load.
		run := func(e *fake) (first, rest string) {
			first, rest, _ = strings.Cut(e.run(t), "; ")
			return first, rest
		}
		all := map[string]bool{}
		reads := program("load.1.rlx @x")
		for v := range uint64(256) {
			_, rest := run(&fake{p: reads, loads: map[event.Addr][]uint64{reads.src.Globals[0].Addr: {v}}})
			all[rest] = true
		}
		some := map[string]bool{}
		asks := program("call @__VERIFIER_nondet_char()")
		n := uint64(1)
		for i := uint64(0); i < n; i++ {
			choice, rest := run(&fake{p: asks, choices: []uint64{i}})
			if _, err := fmt.Sscanf(choice, fmt.Sprintf("choice %d/%%d", i), &n); err != nil {
				t.Fatalf("seed %d: %s, want choice %d", seed, choice, i)
			}
			some[rest] = true
		}
		if n < 256 {
			fewer++
		}
		rejected := func(rest string, _ bool) bool { return strings.HasPrefix(rest, "block assume") } // some need not have it
		maps.DeleteFunc(all, rejected)
		maps.DeleteFunc(some, rejected)
		if !maps.Equal(all, some) {
			t.Fatalf("seed %d: %d values do %v, all of them do %v:\n%s", seed, n, slices.Sorted(maps.Keys(some)), slices.Sorted(maps.Keys(all)), g.code.String())
		}
	}
	if fewer < programs/2 {
		t.Errorf("only %d programs of %d have fewer values than the type", fewer, programs)
	}
}

// An asker writes programs that ask about a value, in the registers v0, v1 and so on.
type asker struct {
	*rand.Rand
	code   strings.Builder
	widths []int // of the registers
	labels int
	budget int // of statements
}

func (g *asker) line(format string, args ...any) { fmt.Fprintf(&g.code, "  "+format+"\n", args...) }

// value returns a register and its width.
func (g *asker) value() (string, int) {
	i := g.IntN(len(g.widths))
	return fmt.Sprintf("%%v%d", i), g.widths[i]
}

// fresh returns a new register.
func (g *asker) fresh(width int) string {
	g.widths = append(g.widths, width)
	return fmt.Sprintf("%%v%d", len(g.widths)-1)
}

// constant returns a number of the width, mostly one that an extended byte may be.
func (g *asker) constant(width int) uint64 {
	switch g.IntN(4) {
	case 0:
		return uint64(g.IntN(4))
	case 1:
		return uint64(g.IntN(256))
	case 2:
		return uint64(-int64(g.IntN(130))) & arith.Mask(uint8(width))
	}
	return g.Uint64() & arith.Mask(uint8(width))
}

func (g *asker) compare() string {
	v, w := g.value()
	a, b := v, fmt.Sprint(g.constant(w))
	if g.IntN(4) == 0 {
		a, b = b, a
	}
	g.labels++
	c := fmt.Sprintf("%%c%d", g.labels)
	g.line("%s = cmp.%d.%s %s, %s", c, w, []string{"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"}[g.IntN(10)], a, b)
	return c
}

func (g *asker) statements(n int) {
	for range n {
		g.statement(n - 1)
	}
}

func (g *asker) statement(depth int) {
	if g.budget--; g.budget < 0 {
		return
	}
	v, w := g.value()
	switch g.IntN(13) {
	case 0, 1:
		to := []int{16, 32, 64}[g.IntN(3)]
		if to > w {
			g.line("%s = %s.%d.%d %s", g.fresh(to), []string{"zext", "sext"}[g.IntN(2)], w, to, v)
		}
	case 2:
		if w > 8 {
			to := []int{4, 8, 16}[g.IntN(3)]
			if to < w {
				g.line("%s = trunc.%d.%d %s", g.fresh(to), w, to, v)
			}
		}
	case 3:
		g.line("call @__ravel_assume(%s)", g.compare())
	case 4:
		c := g.compare()
		other := v
		if o, n := g.value(); n == w {
			other = o
		}
		g.line("%s = select %s, %s, %s", g.fresh(w), c, v, other)
	case 5:
		if g.IntN(4) == 0 {
			g.line("%s = %s.%d %s, %d", g.fresh(w), []string{"urem", "srem", "and", "add"}[g.IntN(4)], w, v, 1+g.IntN(9))
		}
	case 6:
		if g.IntN(8) == 0 && w <= 32 {
			g.line("call @__ravel_assume(%s)", v)
		}
	case 8: // another value in the same register
		i := g.IntN(len(g.widths))
		if g.IntN(2) == 0 {
			g.line("%%v%d = copy %d", i, g.constant(g.widths[i]))
		} else if w == g.widths[i] {
			g.line("%%v%d = copy %s", i, v)
		} else if w < g.widths[i] {
			g.line("%%v%d = %s.%d.%d %s", i, []string{"zext", "sext"}[g.IntN(2)], w, g.widths[i], v)
		}
	case 7:
		g.line("%%r = add.64 %%r, %d", 1+g.IntN(1000))
	default:
		if depth <= 0 {
			return
		}
		c := g.compare()
		g.labels++
		l, known := g.labels, len(g.widths)
		g.line("condbr %s, then%d, else%d", c, l, l)
		fmt.Fprintf(&g.code, "then%d:\n", l)
		g.line("%%r = add.64 %%r, %d", 1+g.IntN(1000))
		g.statements(depth)
		g.line("br join%d", l)
		g.widths = g.widths[:known] // what one branch has defined, the other has not
		fmt.Fprintf(&g.code, "else%d:\n", l)
		g.statements(depth)
		g.line("br join%d", l)
		g.widths = g.widths[:known]
		fmt.Fprintf(&g.code, "join%d:\n", l)
	}
}
