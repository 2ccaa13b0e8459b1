package cat

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

var programs = flag.Int("programs", 400, "random programs for the comparison of models with brute")

// c11 is the vocabulary of programs in C: what brute's executions say.
var c11 = NewVocabulary(
	[]string{"R", "W", "F", "IW", "FW", "NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "RMW", "X"},
	[]string{"po", "rf", "co", "loc", "int", "rmw", "addr", "data", "ctrl"})

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

// TestModelsAgainstBrute compares the verdict of each model with that of brute: on the executions
// that are consistent under some model of brute and on their neighbours.
func TestModelsAgainstBrute(t *testing.T) {
	machines := map[brute.Model]*Machine{}
	for _, m := range brute.Models {
		machines[m] = compileFor(t, string(m), c11, Options{Given: []string{"co"}}).NewMachine()
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	x := NewExec(c11, 0)
	candidates, consistent := 0, map[brute.Model]int{}
	for range *programs {
		p := brute.Random(rnd, brute.Config{Total: 7, PerThread: 4, Threads: 3, NA: rnd.IntN(2) == 0})
		allowed := map[brute.Model]map[string]bool{}
		races := map[brute.Model]map[string]bool{}
		all := map[string]*candidate{}
		add := func(c *candidate) {
			all[(&brute.Execution{Prog: p, Threads: c.threads, Co: c.co}).Key()] = c
		}
		for _, m := range brute.Models {
			allowed[m], races[m] = map[string]bool{}, map[string]bool{}
			for _, e := range brute.Enumerate(p, m) {
				allowed[m][e.Key()] = true
				races[m][e.Key()] = e.Race
				add(&candidate{e.Threads, e.Co})
				perturb(&e, add)
			}
		}
		for key, c := range all {
			c.exec(x)
			candidates++
			for _, m := range brute.Models {
				var failed *Constraint
				race := false
				err := machines[m].Run(x, func(r *Result) bool {
					failed = r.Failed
					race = r.Undefined
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				if failed == nil {
					consistent[m]++
				}
				if (failed == nil) != allowed[m][key] {
					t.Fatalf("%v\nunder %s:\n%sbrute says %v, cat fails %v", p, m, key, allowed[m][key], failed)
				}
				if m != brute.SC && m != brute.TSO && m != brute.PSO && failed == nil && race != races[m][key] {
					t.Fatalf("%v\nunder %s:\n%sbrute says race %v, cat %v", p, m, key, races[m][key], race)
				}
			}
		}
	}
	t.Logf("%d candidates, consistent: %v", candidates, consistent)
	if candidates < 20**programs {
		t.Errorf("only %d candidates", candidates)
	}
}

// TestGeneratedCo checks that cos.cat enumerates the same coherence orders as brute.
func TestGeneratedCo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, name := range []brute.Model{brute.SC, brute.RC11} {
		given := compileFor(t, string(name), c11, Options{Given: []string{"co"}}).NewMachine()
		free := compileFor(t, string(name), c11, Options{}).NewMachine()
		x := NewExec(c11, 0)
		for range *programs / 8 {
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
