package cat

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

var programCount = flag.Int("programs", 400, "random programs for the comparison of models with brute")

// c11 is the vocabulary of programs in C: what brute's executions say.
var c11 = NewVocabulary(
	[]string{"R", "W", "F", "IW", "FW", "NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "RMW", "X"},
	[]string{"po", "rf", "co", "loc", "int", "rmw", "addr", "data", "ctrl", "casdep"})

var modeSets = [...]string{event.NA: "NA", event.Rlx: "RLX", event.Acq: "ACQ", event.Rel: "REL", event.AcqRel: "ACQ_REL", event.SC: "SC"}

// A candidate is an execution in the making: initial writes first, then the events thread after thread.
type candidate struct {
	threads [][]brute.Event
	co      [][]brute.Ref // of each location, without the initial write
}

// exec fills x.
func (c *candidate) exec(x *Exec) {
	locs := len(c.co)
	start := make([]int, len(c.threads))
	n := locs
	for t, evs := range c.threads {
		start[t] = n
		n += len(evs)
	}
	id := func(r brute.Ref, loc int) int {
		if r == brute.Init {
			return loc
		}
		return start[r.Thread] + r.Index
	}
	x.Reset(n)
	loc := make([]int, n)
	for l := range locs {
		loc[l] = l
		x.Set("W").Add(l)
		x.Set("IW").Add(l)
		x.Set("NA").Add(l)
	}
	for t, evs := range c.threads {
		for i, e := range evs {
			k := start[t] + i
			loc[k] = e.Loc
			x.Set([]string{"R", "W", "F"}[e.Kind]).Add(k)
			x.Set(modeSets[e.Mode]).Add(k)
			if e.Locked {
				x.Set("X").Add(k)
			}
			for j := range evs {
				for rel, deps := range map[string]brute.Deps{"addr": e.Addr, "data": e.Data, "ctrl": e.Ctrl, "casdep": e.Cas} {
					if deps.Has(j) {
						x.Rel(rel).Add(start[t]+j, k)
					}
				}
				x.Rel("int").Add(k, start[t]+j)
				if i < j {
					x.Rel("po").Add(k, start[t]+j)
				}
			}
			if e.Kind == brute.R {
				x.Rel("rf").Add(id(e.Src, e.Loc), k)
			}
			if e.Kind == brute.W && e.Locked {
				x.Rel("rmw").Add(k-1, k)
				x.Set("RMW").Add(k - 1)
				x.Set("RMW").Add(k)
			}
		}
	}
	for l, ws := range c.co {
		order := []int{l}
		for _, w := range ws {
			order = append(order, id(w, l))
		}
		for i, w := range order {
			for _, v := range order[i+1:] {
				x.Rel("co").Add(w, v)
			}
		}
		x.Set("FW").Add(order[len(order)-1])
	}
	for i := range n {
		for j := range n {
			if loc[i] == loc[j] && loc[i] != brute.NoLoc {
				x.Rel("loc").Add(i, j)
			}
		}
	}
}

// perturb yields neighbours of an execution: one read reads another write of the same value or
// two writes change places in co. Most are not coherent.
func perturb(e *brute.Execution, yield func(c *candidate)) {
	copyOf := func() *candidate {
		c := &candidate{co: make([][]brute.Ref, len(e.Prog.Locs))}
		for _, evs := range e.Threads {
			c.threads = append(c.threads, append([]brute.Event(nil), evs...))
		}
		for l, ws := range e.Co {
			c.co[l] = append([]brute.Ref(nil), ws...)
		}
		return c
	}
	for t, evs := range e.Threads {
		for i, r := range evs {
			if r.Kind != brute.R {
				continue
			}
			sources := e.Co[r.Loc]
			if r.Val == 0 {
				sources = append([]brute.Ref{brute.Init}, sources...)
			}
			for _, w := range sources {
				if w == r.Src || w != brute.Init && e.Threads[w.Thread][w.Index].Val != r.Val {
					continue
				}
				c := copyOf()
				c.threads[t][i].Src = w
				yield(c)
			}
		}
	}
	for l, ws := range e.Co {
		for i := range len(ws) - 1 {
			c := copyOf()
			c.co[l][i], c.co[l][i+1] = ws[i+1], ws[i]
			yield(c)
		}
	}
}

func compileFor(t testing.TB, name string, voc *Vocabulary, opts Options) *Program {
	t.Helper()
	m, err := Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m, voc, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// against compares the verdicts of a model with those of brute: on the executions
// of random programs that are consistent under some of brute's models, and on their neighbours.
func against(t *testing.T, models []brute.Model, voc *Vocabulary, twin func(m brute.Model) brute.Model, next func(r *rand.Rand) *brute.Prog, fill func(c *candidate, x *Exec)) {
	t.Helper()
	machines := map[brute.Model]*Machine{}
	for _, m := range models {
		machines[m] = compileFor(t, string(m), voc, Options{Given: []string{"co"}}).NewMachine()
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	x := NewExec(voc, 0)
	candidates, consistent := 0, map[brute.Model]int{}
	for range *programCount {
		p := next(rnd)
		allowed, races := map[brute.Model]map[string]bool{}, map[string]bool{}
		all := map[string]*candidate{}
		add := func(c *candidate) {
			all[(&brute.Execution{Prog: p, Threads: c.threads, Co: c.co}).Key()] = c
		}
		for _, m := range models {
			allowed[m] = map[string]bool{}
			for _, e := range brute.Enumerate(p, twin(m)) {
				allowed[m][e.Key()] = true
				races[string(m)+e.Key()] = e.Race
				add(&candidate{e.Threads, e.Co})
				perturb(&e, add)
			}
		}
		// What other models allow, to which the modes of accesses or the fences mean nothing.
		for _, m := range []brute.Model{brute.Power.Raw(), brute.ARMv8.Raw(), brute.RISCV.Raw(), brute.RA} {
			for _, e := range brute.Enumerate(p, m) {
				add(&candidate{e.Threads, e.Co})
			}
		}
		for key, c := range all {
			fill(c, x)
			candidates++
			for _, m := range models {
				var failed *Constraint
				race := false
				err := machines[m].Run(x, func(r *Result) bool {
					failed, race = r.Failed, r.Undefined
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				if failed == nil {
					consistent[m]++
				}
				if (failed == nil) != allowed[m][key] {
					title := "nothing"
					if failed != nil {
						title = failed.Title()
					}
					t.Fatalf("%v\nunder %s:\n%sbrute says %v, cat rejects it by %s", p, m, key, allowed[m][key], title)
				}
				if hasRaces[m] && failed == nil && race != races[string(m)+key] {
					t.Fatalf("%v\nunder %s:\n%sbrute says race %v, cat %v", p, m, key, !race, race)
				}
			}
		}
	}
	t.Logf("%d candidates, consistent: %v", candidates, consistent)
	if candidates < 5**programCount && !testing.Short() {
		t.Errorf("only %d candidates", candidates)
	}
}

// hasRaces are the models for which brute computes races by their own hb.
var hasRaces = map[brute.Model]bool{brute.RA: true, brute.RC11: true, brute.RC11of2017: true, brute.IMM: true}

func same(m brute.Model) brute.Model { return m }

// TestModelsAgainstBrute compares the models of C11 in which po ∪ rf is acyclic, and hardware that ignores modes.
func TestModelsAgainstBrute(t *testing.T) {
	fixed := []string{ // what random programs hardly show
		"x=1; y=1.rel; y=2 || r0=y.acq; r1=x",
		"x=1.na; y=1.rel; y=2 || r0=y.acq; r1=x.na",
		"x=1; F.rel; y=1; y=2 || r0=y; F.acq; r1=x",
		"x=1.sc || y=1.sc || r0=x.acq; r1=y.sc || r2=y.acq; r3=x.sc",
		"x=1.sc; y=1.rel || r0=FADD(y,1).sc; r1=y || y=3.sc; r2=x.sc",
		"x=1; F.sc; r0=y || y=1; F.sc; r1=x",
		"x=1; y=1.rel || r0=FADD(y,1); || r1=y.acq; r2=x",
	}
	against(t, brute.Models, c11, same, func(r *rand.Rand) *brute.Prog {
		if len(fixed) > 0 {
			p := brute.MustParse(fixed[0])
			fixed = fixed[1:]
			return p
		}
		return brute.Random(r, brute.Config{Total: 7, PerThread: 4, Threads: 3, NA: r.IntN(2) == 0})
	}, (*candidate).exec)
}

// TestIMMAgainstBrute compares IMM, with dependencies.
func TestIMMAgainstBrute(t *testing.T) {
	against(t, []brute.Model{brute.IMM, brute.IMMof2019}, c11, same, func(r *rand.Rand) *brute.Prog {
		return brute.Random(r, brute.Config{Total: 6, PerThread: 3, Threads: 3, Deps: true})
	}, (*candidate).exec)
}

// tagSets is herd's names for the instructions that brute has tags for.
var tagSets = map[event.Tag]string{
	event.AcquireA: "A", event.AcquirePC: "Q", event.ReleaseL: "L",
	event.DMBSY: "DMB.SY", event.DMBLD: "DMB.LD", event.DMBST: "DMB.ST",
	event.DSBSY: "DSB.SY", event.DSBLD: "DSB.LD", event.DSBST: "DSB.ST", event.ISB: "ISB",
	event.SYNC: "SYNC", event.LWSYNC: "LWSYNC", event.ISYNC: "ISYNC", event.EIEIO: "EIEIO",
	event.FenceRR: "Fence.r.r", event.FenceRW: "Fence.r.w", event.FenceRM: "Fence.r.rw",
	event.FenceWR: "Fence.w.r", event.FenceWW: "Fence.w.w", event.FenceWM: "Fence.w.rw",
	event.FenceMR: "Fence.rw.r", event.FenceMW: "Fence.rw.w", event.FenceMM: "Fence.rw.rw", event.FenceTSO: "Fence.tso",
}

var hardwareVoc = func() *Vocabulary {
	sets := append([]string{"Acq", "Rel", "DMB", "DSB"}, c11.Sets...)
	for _, name := range tagSets {
		sets = append(sets, name)
	}
	return NewVocabulary(sets, c11.Rels)
}()

// cFence is what brute makes of a C11 fence on hardware.
func cFence(m brute.Model, mode event.Mode) string {
	switch m {
	case brute.ARMv8:
		if mode == event.Acq {
			return "DMB.LD"
		}
		return "DMB.SY"
	case brute.ARMv7:
		return "DMB"
	case brute.Power:
		if mode == event.SC {
			return "SYNC"
		}
		return "LWSYNC"
	}
	return map[event.Mode]string{event.Acq: "Fence.r.rw", event.Rel: "Fence.rw.w", event.AcqRel: "Fence.tso", event.SC: "Fence.rw.rw"}[mode]
}

// hardwareFill fills an execution with the instructions of an architecture. Modes of accesses mean nothing.
func hardwareFill(m brute.Model) func(c *candidate, x *Exec) {
	return func(c *candidate, x *Exec) {
		c.exec(x)
		k := len(c.co)
		for _, evs := range c.threads {
			for _, e := range evs {
				name := tagSets[e.Tag]
				switch {
				case e.Kind == brute.F && e.Tag == event.NoTag && e.Mode > event.Rlx:
					name = cFence(m, e.Mode)
				case m == brute.ARMv7 && e.Tag == event.DMBSY:
					name = "DMB"
				case m == brute.ARMv7 && e.Tag == event.DSBSY:
					name = "DSB"
				case e.Kind == brute.R && (e.Tag == event.AcquireA || e.Tag == event.AqRl):
					x.Set("Acq").Add(k)
					name = "A"
				case e.Kind == brute.W && (e.Tag == event.ReleaseL || e.Tag == event.AqRl):
					x.Set("Rel").Add(k)
					name = "L"
				case e.Kind == brute.R && e.Tag == event.ReleaseL, e.Kind == brute.W && (e.Tag == event.AcquireA || e.Tag == event.AcquirePC):
					name = "" // the half of a read-modify-write that the order is not for
				}
				if name != "" {
					x.Set(name).Add(k)
				}
				k++
			}
		}
	}
}

// TestHardwareAgainstBrute compares the models of architectures with brute's that do not compile accesses.
func TestHardwareAgainstBrute(t *testing.T) {
	for _, m := range []brute.Model{brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV} {
		t.Run(string(m), func(t *testing.T) {
			against(t, []brute.Model{m}, hardwareVoc, brute.Model.Raw, func(r *rand.Rand) *brute.Prog {
				return brute.Random(r, brute.Config{Total: 6, PerThread: 3, Threads: 3, Deps: true, Tags: m})
			}, hardwareFill(m))
		})
	}
}

// TestGeneratedCo checks that cos.cat enumerates the same coherence orders as brute.
func TestGeneratedCo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, name := range []brute.Model{brute.SC, brute.RC11} {
		given := compileFor(t, string(name), c11, Options{Given: []string{"co"}}).NewMachine()
		free := compileFor(t, string(name), c11, Options{}).NewMachine()
		x := NewExec(c11, 0)
		for range *programCount / 8 {
			p := brute.Random(rnd, brute.Config{Total: 6, Threads: 3})
			// Executions that differ only in co, and have the same last writes.
			groups := map[string][]*candidate{}
			for _, e := range brute.Enumerate(p, name) {
				c := &candidate{e.Threads, e.Co}
				key := (&brute.Execution{Prog: p, Threads: c.threads}).Key()
				for _, ws := range c.co {
					if len(ws) > 0 {
						key += fmt.Sprint(ws[len(ws)-1])
					}
				}
				groups[key] = append(groups[key], c)
			}
			for _, g := range groups {
				g[0].exec(x)
				if ok, err := given.Consistent(x); err != nil || !ok {
					t.Fatalf("%v: %v %v", p, ok, err)
				}
				count := 0
				if err := free.Run(x, func(r *Result) bool {
					if r.OK() {
						count++
					}
					return true
				}); err != nil {
					t.Fatal(err)
				}
				if count != len(g) {
					t.Fatalf("%v\n%s under %s: %d coherence orders, brute has %d", p, (&brute.Execution{Prog: p, Threads: g[0].threads, Co: g[0].co}).Key(), name, count, len(g))
				}
			}
		}
	}
}
