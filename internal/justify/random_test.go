package justify

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
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

func randomTest(seed uint64) string { return randomOf(seed, 5) }

// randomOf has so many accesses, or one more.
func randomOf(seed uint64, accesses int) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 8)), vars: []string{"x", "y", "z"}}
	g.vars = g.vars[:1+g.IntN(3)]
	for range g.vars {
		g.vol = append(g.vol, g.IntN(4) == 0)
	}
	g.extra = g.IntN(3) == 0
	g.left = accesses + g.IntN(2)
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
	if g.IntN(3) == 0 { // what is left in memory, too
		observed = append(observed, g.vars[0]+";")
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
		if g.IntN(4) == 0 {
			fmt.Fprintf(&g.b, "%s  m.%s();\n", pad, []string{"wait", "notify"}[g.IntN(2)])
		}
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

// randomFinal writes a test about final fields. x is a final field, y and z are others of the same object; f and g hold references
// to it. A field may hold a reference too: chains of dereferences and copies are as long as there is room.
func randomFinal(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 17))}
	g.vol = []bool{g.IntN(5) == 0}
	modes := map[bool]string{true: "Volatile"}
	threads := 2 + g.IntN(2)
	fmt.Fprintf(&g.b, "Java final-%d\n{\n  x=0; y=0; z=0; f=0; g=0;\n", seed)
	for t := range threads {
		fmt.Fprintf(&g.b, "  %d:X=x; %d:Y=y; %d:Z=z; %d:F=f; %d:G=g;\n", t, t, t, t, t)
	}
	g.b.WriteString("}\nThread0 {\n")
	var observed []string
	constructor := []string{"X.setFinal(1);", "freeze();"}
	for range 1 + g.IntN(2) {
		more := []string{"Y.set(1);", "Y.set(2);", "Z.setFinal(1);", "F.set" + modes[g.vol[0]] + "(1);", "G.set(1);"}[g.IntN(5)]
		constructor = slices.Insert(constructor, g.IntN(len(constructor)+1), more)
	}
	constructor = append(constructor, "F.set"+modes[g.vol[0]]+"(1);")
	fmt.Fprintf(&g.b, "  %s\n}\n", strings.Join(constructor, "\n  "))
	left := 5
	for t := 1; t < threads; t++ {
		fmt.Fprintf(&g.b, "Thread%d {\n", t)
		g.regs = nil
		for n := (left + threads - t - 1) / (threads - t); n > 0; n-- {
			left--
			r := fmt.Sprint("r", g.IntN(100)*10+t)
			field := []string{"X", "X", "Y", "Z"}[g.IntN(4)]
			if slices.Contains(g.regs, r) || len(g.regs) == 0 || g.IntN(6) == 0 {
				r = fmt.Sprint("s", len(observed))
				holder := []string{"F.get" + modes[g.vol[0]], "G.get"}[g.IntN(5)/4]
				fmt.Fprintf(&g.b, "  int %s = %s();\n", r, holder)
			} else {
				ref := g.regs[g.IntN(len(g.regs))]
				switch g.IntN(6) {
				case 0:
					value := []string{ref, ref, ref + " == 1 ? " + g.regs[0] + " : 0"}[g.IntN(3)]
					fmt.Fprintf(&g.b, "  %s.set(%s);\n", []string{"G", "Y", "Z"}[g.IntN(3)], value)
					continue
				case 1:
					fmt.Fprintf(&g.b, "  Y.set(%s, %s);\n", ref, g.regs[g.IntN(len(g.regs))])
					continue
				case 2:
					fmt.Fprintf(&g.b, "  int c%s = %s == 1 ? %s : 0;\n", r, g.regs[g.IntN(len(g.regs))], ref)
					ref = "c" + r
				}
				fmt.Fprintf(&g.b, "  int %s = %s.get(%s);\n", r, field, ref)
			}
			g.regs = append(g.regs, r)
			observed = append(observed, fmt.Sprintf("%d:%s;", t, r))
		}
		g.b.WriteString("}\n")
	}
	fmt.Fprintf(&g.b, "locations [%s]\n", strings.Join(observed, " "))
	return g.b.String()
}

// randomLoop writes a test whose second thread waits for what others write, in one of two ways, before it goes on.
func randomLoop(seed uint64) string {
	text := randomOf(seed, 3)
	first, rest, _ := strings.Cut(text, "Thread1 {\n")
	handle := []string{"X.get()", "X.getVolatile()"}[seed%2]
	if strings.Contains(text, "Y=y") && seed%3 == 0 {
		handle = "Y.get()"
	}
	loop := []string{
		"  int s = 0;\n  do { s = %s; } while (s == 0);\n",
		"  int s = 0;\n  while (s == 0) { s = %s; if (s == 2) break; }\n",
	}[seed/2%2]
	return first + "Thread1 {\n" + fmt.Sprintf(loop, handle) + strings.Replace(rest, "locations [", "locations [1:s; ", 1)
}

// ruleSets are the ways to justify that brute force knows.
var ruleSets = []variant{{Single, Index, 0}, {JLS, Index, 0}, {JLS, Free, 0}, {AspinallSevcik, Index, 0}}

// compareBrute compares all outcomes of a test with those that brute force finds; it returns false if there are too many
// values for it.
func compareBrute(t *testing.T, test *litmus.Test, rounds int, text string) bool {
	t.Helper()
	all, ok := bruteExecutions(test, rounds)
	if !ok {
		return false
	}
	for _, s := range ruleSets {
		a, err := Analyse(test, Options{Rules: s.rules, Identity: s.identity, Unroll: rounds})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var got []string
		for _, o := range a.Outcomes {
			got = append(got, strings.ReplaceAll(a.State(o.Values), " ", ""))
		}
		sort.Strings(got)
		want := bruteOutcomes(all, s)
		if len(a.open) > 0 { // values out of thin air: more outcomes than brute force has values for
			want = slices.DeleteFunc(want, func(s string) bool { return !slices.Contains(got, s) && allowsState(t, a, s) })
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rules %s, identity %s\n got %v\nwant %v\n%s", s.rules, s.identity, got, want, text)
		}
	}
	return true
}

// allowsState asks for a final state of brute force.
func allowsState(t *testing.T, a *Analysis, state string) bool {
	t.Helper()
	var values []uint64
	for part := range strings.SplitSeq(strings.TrimSuffix(state, ";"), ";") {
		v, err := strconv.ParseInt(part[strings.LastIndex(part, "=")+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, uint64(v))
	}
	ok, err := a.AllowsState(values)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// TestRandomPrograms compares with brute force on random programs; make fuzz-java has more of them.
func TestRandomPrograms(t *testing.T) { compareRandom(t, randomTest, *programs) }

// TestRandomFinals does so with final fields, TestRandomLoops with loops that go round once again at most.
func TestRandomFinals(t *testing.T) { compareRandom(t, randomFinal, *programs/4) }
func TestRandomLoops(t *testing.T)  { compareRandom(t, randomLoop, *programs/10) }

func compareRandom(t *testing.T, random func(seed uint64) string, n int) {
	t.Helper()
	left := 0
	for seed := range uint64(n) {
		text := random(seed)
		test, err := frontend.Parse("random.litmus", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !compareBrute(t, test, 1, text) {
			left++
		}
	}
	if left > n/200 {
		t.Errorf("%d programs have too many values for brute force", left)
	}
}

// TestCorpus compares with brute force on all tests of testdata/java that are about chapter 17: those without the access
// modes and fences of VarHandle, which the chapter does not know and for which the table has no verdict by it. Loops go round
// twice again at most.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("brute force on the whole corpus")
	}
	verdicts := map[string]string{}
	for _, row := range readTable(t) {
		verdicts[row["name"]] = row["jls"]
	}
	files, err := filepath.Glob(filepath.Join(corpus, "*.litmus"))
	if err != nil || len(files) < len(verdicts) {
		t.Fatal(len(files), err)
	}
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".litmus")
		test := parseTest(t, name)
		switch {
		case foreignToJLS(test):
			if v, ok := verdicts[name]; ok && v != "-" {
				t.Errorf("%s: the table has a verdict by the specification", name)
			}
		case !compareBrute(t, test, 2, name):
			t.Errorf("%s: too many values for brute force", name)
		default:
			compared++
		}
	}
	t.Logf("%d of %d tests compared; the others have access modes or fences", compared, len(files))
}

// foreignToJLS reports whether a test has opaque, acquire or release accesses, or fences.
func foreignToJLS(test *litmus.Test) bool {
	for _, th := range test.Threads {
		for i := range th.Ops {
			if op := &th.Ops[i]; op.Kind == litmus.Fence || slices.Contains(op.Sets, "O") || slices.Contains(op.Sets, "RA") {
				return true
			}
		}
	}
	return false
}
