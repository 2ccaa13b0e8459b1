package justify

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"ravel/internal/frontend/litmus"
)

var programs = flag.Int("programs", 2000, "random programs for the comparison with brute force")

// A generator writes random tests.
type generator struct {
	*rand.Rand
	b      strings.Builder
	vars   []string
	vol    []bool
	left   int // accesses
	regs   []string
	serial int
	extra  bool // monitors, print, read-modify-writes, arrays, start and join
	array  bool
}

func randomTest(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 8)), vars: []string{"x", "y", "z"}}
	g.vars = g.vars[:1+g.IntN(3)]
	for range g.vars {
		g.vol = append(g.vol, g.IntN(4) == 0)
	}
	g.extra = g.IntN(3) == 0
	g.left = 5 + g.IntN(2)
	threads := 2 + g.IntN(2)
	lifetime := ""
	if g.extra && g.IntN(3) == 0 {
		lifetime = []string{"start", "join"}[g.IntN(2)]
		g.left--
	} else if g.extra && g.IntN(3) == 0 {
		g.array = true
	}
	fmt.Fprintf(&g.b, "Java random-%d\n{\n", seed)
	for i, v := range g.vars {
		fmt.Fprintf(&g.b, "  %s=0;", v)
		for t := range threads {
			fmt.Fprintf(&g.b, " %d:%s=%s;", t, strings.ToUpper(g.vars[i]), v)
		}
		g.b.WriteByte('\n')
	}
	if g.array {
		g.b.WriteString("  int a[2]={0, 1};")
		for t := range threads {
			fmt.Fprintf(&g.b, " %d:A=a;", t)
		}
		g.b.WriteByte('\n')
	}
	g.b.WriteString("}\n")
	var observed []string
	for t := range threads {
		fmt.Fprintf(&g.b, "Thread%d {\n", t)
		g.regs = nil
		share := (g.left + threads - t - 1) / (threads - t)
		rest := g.left - share
		g.left = share
		for first := true; g.left > 0; first = false {
			if t == 0 && lifetime != "" && first && g.IntN(2) == 0 {
				g.statement(1)
			}
			if t == 0 && lifetime != "" && first {
				fmt.Fprintf(&g.b, "  Thread%d.%s();\n", 1+g.IntN(threads-1), lifetime)
			}
			if g.left > 0 {
				g.statement(1)
			}
		}
		g.left = rest
		for _, r := range g.regs {
			observed = append(observed, fmt.Sprintf("%d:%s;", t, r))
		}
		g.b.WriteString("}\n")
	}
	fmt.Fprintf(&g.b, "locations [%s]\n", strings.Join(observed, " "))
	return g.b.String()
}

func (g *generator) variable() (handle, mode string) {
	i := g.IntN(len(g.vars))
	if g.vol[i] {
		mode = "Volatile"
	}
	return strings.ToUpper(g.vars[i]), mode
}

func (g *generator) value() string {
	if len(g.regs) == 0 || g.IntN(3) == 0 {
		return fmt.Sprint(1 + g.IntN(2))
	}
	r := g.regs[g.IntN(len(g.regs))]
	return []string{r, r, r + " | 1", r + " ^ 1", "1 + " + r + " * " + r + " - " + r}[g.IntN(4)]
}

func (g *generator) statement(depth int) {
	pad := strings.Repeat("  ", depth)
	h, mode := g.variable()
	switch n := g.IntN(20); {
	case n < 8:
		g.serial++
		r := fmt.Sprintf("r%d", g.serial)
		fmt.Fprintf(&g.b, "%s%s = %s.get%s();\n", pad, r, h, mode)
		g.regs = append(g.regs, r)
		g.left--
	case n < 14 || len(g.regs) == 0 || depth > 2:
		fmt.Fprintf(&g.b, "%s%s.set%s(%s);\n", pad, h, mode, g.value())
		g.left--
	case g.array && n < 17:
		g.serial++
		r := fmt.Sprintf("r%d", g.serial)
		if n == 15 {
			fmt.Fprintf(&g.b, "%s%s = A.get(%s);\n", pad, r, g.regs[g.IntN(len(g.regs))])
			g.regs = append(g.regs, r)
		} else {
			fmt.Fprintf(&g.b, "%sA.set(%s, %s);\n", pad, g.regs[g.IntN(len(g.regs))], g.value())
		}
		g.left--
	case g.extra && n == 14:
		fmt.Fprintf(&g.b, "%ssynchronized (m) {\n", pad)
		g.left--
		g.statement(depth + 2)
		fmt.Fprintf(&g.b, "%s}\n", pad)
	case g.extra && n == 15:
		fmt.Fprintf(&g.b, "%sprint(%s);\n", pad, g.value())
		g.left--
	case g.extra && n == 16 && mode != "":
		g.serial++
		r := fmt.Sprintf("r%d", g.serial)
		fmt.Fprintf(&g.b, "%s%s = %s.compareAndExchange(%d, %s);\n", pad, r, h, g.IntN(2), g.value())
		g.regs = append(g.regs, r)
		g.left--
	default:
		r := g.regs[g.IntN(len(g.regs))]
		fmt.Fprintf(&g.b, "%sif (%s %s %d) {\n", pad, r, []string{"==", "!="}[g.IntN(2)], g.IntN(3))
		g.statement(depth + 1)
		if g.IntN(2) == 0 {
			fmt.Fprintf(&g.b, "%s} else {\n", pad)
			g.statement(depth + 1)
		}
		fmt.Fprintf(&g.b, "%s}\n", pad)
	}
}

// ruleSets are the ways to justify that brute force knows.
var ruleSets = []struct {
	rules    Rules
	identity Identity
}{{Single, Index}, {JLS, Index}, {JLS, Free}, {AspinallSevcik, Index}}

// compareBrute compares all outcomes of a test with those that brute force finds.
func compareBrute(t *testing.T, test *litmus.Test, text string) bool {
	t.Helper()
	for _, s := range ruleSets {
		a, err := Analyse(test, Options{Rules: s.rules, Identity: s.identity})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(a.open) > 0 {
			continue // values out of thin air: infinitely many outcomes
		}
		var got []string
		for _, o := range a.Outcomes {
			got = append(got, strings.ReplaceAll(a.State(o.Values), " ", ""))
		}
		sort.Strings(got)
		want := bruteOutcomes(test, s.rules, s.identity)
		if want == nil {
			return false
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rules %s, identity %s\n got %v\nwant %v\n%s", s.rules, s.identity, got, want, text)
		}
	}
	return true
}

// TestRandomPrograms compares with brute force on random programs; make fuzz-java has more of them.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(*programs) {
		text := randomTest(seed)
		test, err := litmus.Parse("random.litmus", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		compareBrute(t, test, text)
	}
}

// bruteKnows reports whether brute force can do a test, in reasonable time.
func bruteKnows(test *litmus.Test) bool {
	accesses := 0
	for _, th := range test.Threads {
		for i := range th.Ops {
			op := &th.Ops[i]
			switch {
			case op.Kind == litmus.Fence, op.Kind == litmus.Branch && op.To <= i,
				slices.Contains(op.Sets, "O"), slices.Contains(op.Sets, "RA"):
				return false
			case op.Kind == litmus.Load, op.Kind == litmus.Store && op.Pair < 0:
				accesses++
			case op.Kind == litmus.Start, op.Kind == litmus.Join:
				accesses += 2
			}
		}
	}
	return accesses <= 7
}

// TestCorpus compares with brute force on the tests of testdata/java.
func TestCorpus(t *testing.T) {
	done := 0
	for _, row := range readTable(t) {
		if test := parseTest(t, row["name"]); bruteKnows(test) && compareBrute(t, test, row["name"]) {
			done++
		}
	}
	if done < 60 {
		t.Errorf("only %d tests were compared", done)
	}
	t.Logf("%d tests compared", done)
}
