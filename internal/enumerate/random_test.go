package enumerate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	modes "ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

var (
	modelCount = flag.Int("models", 400, "random models that explorations are compared under")
	modelSeed  = flag.Uint64("model-seed", 1, "the first random model")
)

// TestRandomModels compares the executions that package explore finds under random models in cat with those of the enumerator, which
// evaluates every constraint as it is written.
func TestRandomModels(t *testing.T) {
	refused, rejecting, flagged := 0, 0, 0
	for i := range *modelCount {
		c := randomComparison(t, *modelSeed+uint64(i))
		switch c.explore(t); {
		case c.refused:
			refused++
		case c.rejects:
			rejecting++
		}
		if c.flags {
			flagged++
		}
	}
	t.Logf("%d models: %d refused, %d forbid some executions and not others, %d flag some", *modelCount, refused, rejecting, flagged)
	if !testing.Short() && (refused > *modelCount/3 || rejecting < *modelCount/4) {
		t.Errorf("of %d models %d were refused, %d forbid some executions and not others", *modelCount, refused, rejecting)
	}
}

// TestModelsFound compares models on which the engines once differed. The number of executions is what herd7 finds where it is SB, or counted
// by hand.
func TestModelsFound(t *testing.T) {
	const sb, mp = "x=1; r0=y || y=1; r0=x", "x=1; y=1 || r0=y; r1=x"
	for _, test := range []struct {
		prog, model string
		executions  int
		why         string
	}{
		{sb, "irreflexive (([R]; po-loc?) \\ id); fr; po; fr; po", 4, "([R]; po-loc?) \\ id has no event related to itself, [R]; po-loc? has"},
		{sb, "irreflexive ([ACQ]; po) \\ id", 4, "a set is no relation"},
		{sb, "irreflexive rf? & ext", 4, "no event is external to itself"},
		{sb, "empty id \\ int", 0, "an initial write is of no thread"},
		{sb, "empty id & ext", 4, "and not of another one than itself"},
		{sb, "empty (IW * IW) & ext", 4, "nor are two of them of different threads"},
		{sb, "acyclic po? \\ (id & loc)", 4, "the start and the end of a thread are no events"},
		{mp, "irreflexive po; [~M]; po; fr; po; rf", 4, "nor are they between two others"},
		{sb, "empty F", 4, "and no fences"},
		{"x=1; F.sc; r0=x", "empty [F] & (A * A)", 1, "a fence is no atomic access to herd"},
		{"x=1; F.sc; r0=x", "empty [F] \\ (NA * NA)", 1, "so it is in NA"},
		{sb, "empty [IW] \\ (NA * NA)", 4, "as are initial writes"},
		{"r0=x || x=1 || x=2", "empty [R] \\ (A * A)", 6, "A is C's as long as nothing speaks of Arm; three sources, two orders"},
		{"r0=FADD(x,1) || x=1", "empty data", 2, "the write of an update depends on its read by rmw"},
		{"x=1; r0=x; x=2 || x=1; x=2", "empty rfi acyclic po? & ctrl", 4, "the read has no source but its own thread's write until the other thread has come"},
		{sb, "irreflexive IW * (_ \\ R)", 0, "initial writes are among what they are related to"},
		{mp, "irreflexive (rf | co | fr); po; rf; [M]; po*", 3, "a walk goes on to the new event, not only to the first it comes to"},
	} {
		c := &comparison{name: test.why, model: coherentModel + "\n" + test.model, prog: brute.MustParse(test.prog)}
		var ok bool
		if c.test, ok = asLitmus(c.prog, false); !ok {
			t.Fatal(test.prog)
		}
		c.enumerate(t)
		if len(c.want) != test.executions {
			t.Errorf("%s: %d executions of %s, want %d (%s)", test.model, len(c.want), test.prog, test.executions, test.why)
		}
		if c.explore(t); c.refused {
			t.Errorf("%s: refused (%s)", test.model, test.why)
		}
	}
}

// randomComparison returns a random model and a program. Most models forbid all executions of a small program, or none: they are tried
// a few times.
func randomComparison(t *testing.T, seed uint64) *comparison {
	rnd := rand.New(rand.NewPCG(seed, 3))
	for try := 0; ; try++ {
		g := &modelMaker{Rand: rnd, deps: rnd.IntN(6) == 0}
		g.x86 = !g.deps && rnd.IntN(8) == 0
		c := &comparison{name: fmt.Sprintf("model %d", seed), model: g.model()}
		c.prog, c.test = randomTest(rnd, g)
		if c.enumerate(t); c.rejects || try == 10 || rnd.IntN(20) == 0 {
			return c
		}
	}
}

// TestWalks compares explorations under random models that decide constraints by clocks and walks with those that evaluate them on whole
// graphs, on programs whose threads start others: litmus tests have none.
func TestWalks(t *testing.T) {
	walked := 0
	for i := range *modelCount {
		seed := *modelSeed + uint64(i)
		rnd := rand.New(rand.NewPCG(seed, 4))
		g := &modelMaker{Rand: rnd, x86: rnd.IntN(4) == 0}
		text := g.model()
		file, err := cat.LoadText("random.cat", text)
		if err != nil {
			t.Fatalf("model %d: %v\n%s", seed, err, text)
		}
		p := brute.Random(rnd, brute.Config{NA: rnd.IntN(3) == 0, Starts: true, Threads: 3, PerThread: 3, Total: 7})
		var runs [2]string
		var explain string
		for k, whole := range []bool{false, true} {
			m, err := catmodel.New("random.cat", file, catmodel.Options{Whole: whole})
			if err != nil {
				t.Fatalf("model %d: %v\n%s", seed, err, text)
			}
			if !whole {
				explain = m.Explain()
			}
			prog := brute.Lower(p)
			if seed%2 == 0 {
				prog = brute.LowerInMain(p)
			}
			res, err := explore.Explore(t.Context(), prog, explore.Options{
				Model: m.Explorer(), Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true}},
			})
			if err != nil {
				t.Fatalf("model %d: %v\n%v\n%s", seed, err, p, text)
			}
			runs[k] = fmt.Sprintf("%d executions, %d blocked, errors: %v", res.Complete, res.Blocked, len(res.Errors) > 0)
		}
		if strings.Contains(explain, "by a walk") || strings.Contains(explain, "never: ") {
			walked++
		}
		if runs[0] != runs[1] {
			t.Fatalf("model %d: %s; on whole graphs %s\n%s\n%v\n%s", seed, runs[0], runs[1], text, p, explain)
		}
	}
	t.Logf("%d of %d models have walks", walked, *modelCount)
}

// randomTest returns a random program, also as a litmus test. In C control dependencies end with the if, in brute they do not: a
// model with dependencies gets no branches. Compilation mappings differ in what is a fence: a model of x86 gets relaxed accesses only.
func randomTest(rnd *rand.Rand, g *modelMaker) (*brute.Prog, string) {
	for {
		p := brute.Random(rnd, brute.Config{
			NA: rnd.IntN(3) == 0, NoRMW: g.x86 || rnd.IntN(2) == 0, NoFences: g.x86, NoBranches: g.deps, Deps: g.deps, Threads: 3, PerThread: 4, Total: 8,
		})
		if g.x86 {
			for _, th := range p.Threads {
				relax(th.Body)
			}
		}
		if text, ok := asLitmus(p, false); ok && !(g.deps && strings.Contains(text, "if (")) {
			return p, text
		}
	}
}

// relax makes accesses relaxed.
func relax(body []brute.Stmt) {
	for i := range body {
		body[i].Mode = modes.Rlx
		relax(body[i].Then)
		relax(body[i].Else)
	}
}

// coherentModel is what nearly all random models contain.
const coherentModel = `include "cos.cat"
acyclic po-loc | rf | co | fr
empty rmw & (fr; co)
acyclic po | rf`

// A comparison is one of a program under a model in both engines.
type comparison struct {
	name, model string
	prog        *brute.Prog
	test        string // the program as a litmus test
	file        *cat.Model
	want        map[string]bool // its executions
	rejects     bool            // the model forbids some, not all
	flags       bool            // it flags some
	refused     bool            // the exploration does not promise to find all of them
}

// enumerate finds the executions by the enumerator.
func (c *comparison) enumerate(t *testing.T) {
	t.Helper()
	var err error
	if c.file, err = cat.LoadText("random.cat", c.model); err != nil {
		t.Fatalf("%s: %v\n%s", c.name, err, c.model)
	}
	c.want = map[string]bool{}
	seen := func(x *Execution) bool {
		c.want[keyOf(c.prog, x)] = true
		c.flags = c.flags || len(x.Result.Flags) > 0
		return true
	}
	if _, err := Run(parse(t, c.test), New("random", c.file, nil), Options{OnExecution: seen}); err != nil {
		t.Fatalf("%s: %v\n%s", c.name, err, c.model)
	}
	coherent, err := cat.LoadText("coherent.cat", coherentModel)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Run(parse(t, c.test), New("coherent", coherent, nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.rejects = len(c.want) > 0 && len(c.want) < all.Executions()
}

// explore compares with what the exploration finds.
func (c *comparison) explore(t *testing.T) {
	t.Helper()
	m, err := catmodel.New("random.cat", c.file, catmodel.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.name, err, c.model)
	}
	if c.refused = m.Missing(strings.Contains(c.test, "fetch_add") || strings.Contains(c.test, "exchange")) != ""; c.refused {
		return
	}
	prog := brute.Lower(c.prog)
	run := func(races bool, each func(*explore.Execution)) *explore.Result {
		res, err := explore.Explore(t.Context(), prog, explore.Options{
			Model: m.Explorer(), Options: engine.Options{Workers: 1, RaceCheck: races, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, OnExecution: each,
		})
		if err != nil {
			t.Fatalf("%s: %v\n%v\n%s", c.name, err, c.prog, c.model)
		}
		return res
	}
	got := map[string]bool{}
	run(false, func(x *explore.Execution) {
		key := fromGraph(c.prog, prog, x.Graph).Key()
		if got[key] {
			t.Errorf("%s: twice:\n%s%v\n%s", c.name, key, c.prog, c.model)
		}
		got[key] = true
	})
	sameExecutions(t, fmt.Sprintf("%s:\n%s\n%v\n%s\n%s", c.name, c.model, c.prog, c.test, m.Explain()), c.want, got)
	if strings.Contains(c.model, "flag") {
		if errors := len(run(true, nil).Errors) > 0; errors != c.flags {
			t.Fatalf("%s: flagged: %v, by the exploration: %v\n%s\n%v", c.name, c.flags, errors, c.model, c.prog)
		}
	}
}

// fromGraph returns a graph as brute would.
func fromGraph(p *brute.Prog, prog *ir.Program, g *graph.Graph) *brute.Execution {
	x := &brute.Execution{Prog: p, Co: make([][]brute.Ref, len(p.Locs)), Threads: make([][]brute.Event, len(p.Threads))}
	ref := map[graph.ID]brute.Ref{graph.Init: brute.Init}
	var ids [][]graph.ID
	for t := range p.Threads {
		ids = append(ids, slices.DeleteFunc(slices.Clone(g.Threads[t+1]), func(id graph.ID) bool {
			k := g.Events[id].Kind
			return k != graph.Read && k != graph.Write && k != graph.Fence
		}))
		for i, id := range ids[t] {
			ref[id] = brute.Ref{Thread: t, Index: i}
		}
	}
	for t := range ids {
		for _, id := range ids[t] {
			e := &g.Events[id]
			b := brute.Event{Kind: brute.F, Loc: brute.NoLoc, Mode: e.Mode, Val: uint32(e.Val.Lo)}
			switch e.Kind {
			case graph.Read:
				b.Kind, b.Loc, b.Src = brute.R, p.LocAt(prog, g.Locs[e.Loc].Addr), ref[e.RF]
			case graph.Write:
				b.Kind, b.Loc = brute.W, p.LocAt(prog, g.Locs[e.Loc].Addr)
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
	return x
}

// A modelMaker makes random models. Most have what an exploration needs, and one to three constraints more.
type modelMaker struct {
	*rand.Rand
	deps bool // with dependencies
	x86  bool // of x86, not C
	lets []string
	out  strings.Builder
}

func (g *modelMaker) model() string {
	g.out.WriteString("\"random\"\ninclude \"cos.cat\"\nlet com = rf | co | fr\n")
	if g.IntN(20) > 0 {
		g.out.WriteString(g.pick("acyclic po-loc | rf | co | fr", "acyclic po-loc | rf | co | fr", "irreflexive (po-loc | rf | co | fr)+",
			"let hb = (po | rf)+ irreflexive hb irreflexive hb; co irreflexive hb; fr irreflexive hb; rf irreflexive hb; co; rf irreflexive hb; fr; rf") + "\n")
	}
	if g.IntN(20) > 0 {
		g.out.WriteString(g.pick("empty rmw & (fre; coe)", "empty rmw & (fr; co)") + "\n")
	}
	if g.IntN(20) > 0 {
		if g.deps && g.IntN(2) == 0 {
			g.out.WriteString("acyclic addr | data | ctrl | rfe | rmw\n")
		} else {
			g.out.WriteString(g.pick("acyclic po | rf", "acyclic po | rfe", "acyclic [R]; po; [W] | rfe") + "\n")
		}
	}
	if g.x86 {
		g.out.WriteString("empty MFENCE & IW\n") // tells what it is about
	}
	for range g.IntN(3) {
		g.let()
	}
	for i := range 1 + g.IntN(2) {
		kind := g.pick("acyclic", "irreflexive", "irreflexive", "empty")
		r := g.rel(2 + g.IntN(3))
		switch {
		case kind == "irreflexive" && g.IntN(4) > 0:
			r = g.cycle()
		case kind == "acyclic" && g.IntN(3) > 0:
			r = fmt.Sprintf("%s | %s | %s", g.step(), g.pick("rf", "rfe", "co", "fr", "com"), g.pick("fr", "fre", "co", "coe", g.cycle()))
		case kind == "empty" && g.IntN(2) > 0:
			r = fmt.Sprintf("(%s) & (%s)", g.cycle(), g.pick("id", "po", "po-loc", "loc", "ext", "co", g.rel(1)))
		}
		switch g.IntN(16) {
		case 0:
			fmt.Fprintf(&g.out, "flag ~%s %s as f%d\n", kind, r, i)
		case 1:
			fmt.Fprintf(&g.out, "~%s %s as c%d\n", kind, r, i)
		default:
			fmt.Fprintf(&g.out, "%s %s as c%d\n", kind, r, i)
		}
	}
	return g.out.String()
}

// let adds a definition, recursive or not.
func (g *modelMaker) let() {
	name := fmt.Sprintf("r%d", len(g.lets))
	switch r := g.rel(2); g.IntN(5) {
	case 0:
		fmt.Fprintf(&g.out, "let rec %s = %s | %s; %s\n", name, r, name, name)
	case 1:
		fmt.Fprintf(&g.out, "let rec %s = %s | %s; (%s)\n", name, r, name, g.rel(1))
	case 2:
		other := name + "x"
		fmt.Fprintf(&g.out, "let rec %s = %s | (%s; (%s)) and %s = %s | (%s & (%s))\n", name, r, other, g.rel(1), other, g.rel(1), name, g.rel(1))
	default:
		fmt.Fprintf(&g.out, "let %s = %s\n", name, r)
	}
	g.lets = append(g.lets, name)
}

func (g *modelMaker) pick(s ...string) string { return s[g.IntN(len(s))] }

// cycle is a relation that goes from thread to thread and back, as those of litmus tests.
func (g *modelMaker) cycle() string {
	var parts []string
	for range 2 + g.IntN(2) {
		parts = append(parts, g.pick("rf", "co", "fr", "rfe", "coe", "fre", "(co; rf?)", "(fr; rf?)", "(rf | co | fr)+", "com"), g.step())
	}
	return strings.Join(parts, "; ")
}

// step is a relation within a thread, mostly.
func (g *modelMaker) step() string {
	po := g.pick("po", "po", "po", "po", "po-loc", "(po \\ po-loc)", "po?", "po*", "(po & M * M)", "("+g.rel(1)+")")
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("([%s]; %s; [%s])", g.set(1), po, g.set(1))
	case 1:
		return fmt.Sprintf("(%s \\ %s)", po, g.pick("id", "int", "ext", "loc", "(W * R)", "rmw"))
	case 2:
		return fmt.Sprintf("(([%s]; %s) \\ %s)", g.set(1), po, g.pick("id", "loc", "(_ * W)"))
	case 3:
		return fmt.Sprintf("(%s; [%s]; %s)", po, g.set(1), po)
	}
	return po
}

// rel is a relation, in parentheses where it has to be.
func (g *modelMaker) rel(depth int) string {
	if depth == 0 || g.IntN(5) == 0 {
		names := []string{
			"po", "po", "rf", "co", "fr", "rfe", "rfi", "coe", "coi", "fre", "fri", "po-loc", "rmw", "loc", "int", "ext", "id", "0",
			"[" + g.set(1) + "]", "[" + g.set(1) + "]", "(" + g.set(1) + " * " + g.set(1) + ")",
		}
		if g.deps {
			names = append(names, "addr", "data", "ctrl", "(addr | data | ctrl)")
		}
		return g.pick(append(names, g.lets...)...)
	}
	d := depth - 1
	switch g.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s; %s)", g.rel(d), g.rel(d))
	case 3:
		return fmt.Sprintf("([%s]; %s; [%s])", g.set(1), g.rel(d), g.set(1))
	case 4, 5:
		return fmt.Sprintf("(%s | %s)", g.rel(d), g.rel(d))
	case 6:
		return fmt.Sprintf("(%s & %s)", g.rel(d), g.rel(d))
	case 7:
		return fmt.Sprintf("(%s \\ %s)", g.rel(d), g.rel(d))
	case 8:
		return fmt.Sprintf("(%s \\ id)", g.rel(d))
	case 9:
		return fmt.Sprintf("(%s)+", g.rel(d))
	case 10:
		return fmt.Sprintf("(%s)*", g.rel(d))
	case 11:
		return fmt.Sprintf("(%s)?", g.rel(d))
	case 12:
		return fmt.Sprintf("(%s)^-1", g.rel(d))
	}
	return fmt.Sprintf("(~(%s))", g.rel(d))
}

// set is a set of events.
func (g *modelMaker) set(depth int) string {
	if depth == 0 || g.IntN(3) > 0 {
		if g.x86 {
			return g.pick("R", "W", "M", "F", "IW", "MFENCE", "SFENCE", "X", "_", "FW")
		}
		return g.pick("R", "W", "M", "F", "IW", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "NA", "A", "RMW", "_", "FW")
	}
	d := depth - 1
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s | %s)", g.set(d), g.set(d))
	case 1:
		return fmt.Sprintf("(%s & %s)", g.set(d), g.set(d))
	case 2:
		return fmt.Sprintf("(%s \\ %s)", g.set(d), g.set(d))
	case 3:
		return fmt.Sprintf("(~%s)", g.set(d))
	case 4:
		return fmt.Sprintf("domain(%s)", g.rel(1))
	}
	return fmt.Sprintf("range(%s)", g.rel(1))
}
