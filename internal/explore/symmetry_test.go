package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/explore/exploretest"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// twinModels are the models under which equal threads are compared with the brute-force enumerator.
var twinModels = slices.Concat(brute.Models, allDepModels)

// An equalProgram is a program with threads that are equal.
type equalProgram struct {
	*brute.Prog
	equal   [][]int // classes of threads
	renamed [][]int // see renamings
}

// randomEqual returns a random program with two to four equal threads, and perhaps others, or with two pairs of them.
func randomEqual(r *rand.Rand, i int, na, deps bool) *equalProgram {
	if r.IntN(6) == 0 {
		one := brute.Random(r, brute.Config{Threads: 2, PerThread: 2, Total: 4, Awaits: i%2 == 0, NA: na, Deps: deps})
		if len(one.Threads) == 2 {
			a, b := one.Threads[0], one.Threads[1]
			one.Threads = append(one.Threads[:0:0], a, a, b, b)
			return shuffled(r, one, 2, 2)
		}
	}
	n := 2 + r.IntN(2)
	if i%4 < 3 && r.IntN(4) == 0 {
		n = 4
	}
	var one *brute.Prog
	switch i % 4 {
	case 0, 1:
		one = brute.Random(r, brute.Config{Threads: 2, PerThread: 6 - n, Total: 8 - n - r.IntN(2), NA: na, Deps: deps && i%4 == 0})
	case 2:
		one = brute.Random(r, brute.Config{Threads: 2, PerThread: 6 - n, Total: 7 - n, Awaits: true, NA: na})
	case 3:
		one = brute.RandomLocks(r)
		one.Threads = one.Threads[:min(len(one.Threads), 4-n)]
	}
	if i%8 > 0 && one.Threads[0].Body[0].Kind == brute.Store {
		return randomEqual(r, i, na, deps) // there is less to reduce
	}
	p := &brute.Prog{Locs: one.Locs}
	rest := one.Threads[1:]
	for len(rest) > 0 && r.IntN(3) == 0 {
		rest = rest[1:]
	}
	for range n {
		p.Threads = append(p.Threads, one.Threads[0])
	}
	p.Threads = append(p.Threads, rest...)
	return shuffled(r, p, n)
}

// randomBuffered returns a random program with two or three equal threads that may load late, and others that read what they store.
func randomBuffered(r *rand.Rand) *equalProgram {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	thread := func(from, to string) string {
		body := pick("r0=", "r0=", "r0=", "r0=XCHG(", "r0=FADD(") + from
		switch {
		case strings.Contains(body, "XCHG"):
			body += ",2)"
		case strings.Contains(body, "FADD"):
			body += ",1)"
		default:
			body += pick("", "", "", ".acq")
		}
		body += pick("", "", "; r1=z", "; F.acqrel", "; z=1", "; r1="+from)
		return body + "; " + to + "=" + pick("1", "1", "2", "r0*0+1", "r0+1", "1.rel")
	}
	n := 2 + r.IntN(2)
	threads := slices.Repeat([]string{thread("x", "y")}, n)
	if n == 2 && r.IntN(3) == 0 {
		threads = append(threads, thread("y", "z"), thread("z", "x"))
	} else {
		threads = append(threads, thread("y", "x"))
	}
	return shuffled(r, brute.MustParse(strings.Join(threads, " || ")), n)
}

// shuffled brings the threads of p, which begin with classes of the given sizes, into any order.
func shuffled(r *rand.Rand, p *brute.Prog, sizes ...int) *equalProgram {
	e := &equalProgram{Prog: &brute.Prog{Locs: p.Locs}, equal: make([][]int, len(sizes))}
	for at, t := range r.Perm(len(p.Threads)) {
		e.Threads = append(e.Threads, p.Threads[t])
		for c, n := range sizes {
			if t >= 0 && t < n {
				e.equal[c] = append(e.equal[c], at)
			}
			t -= n
		}
	}
	e.Prog = brute.MustParse(e.Prog.String())
	return e
}

// lower is brute.Lower, with one function for each class of equal threads.
func (e *equalProgram) lower() *ir.Program { return brute.LowerEqual(e.Prog, e.equal) }

// orbit returns the least of the keys of the executions that x becomes by permutations of the equal threads.
func (e *equalProgram) orbit(x *brute.Execution, key func(*brute.Execution) string) string {
	least := ""
	for _, to := range e.renamings() {
		move := func(r brute.Ref) brute.Ref {
			if r != brute.Init {
				r.Thread = to[r.Thread]
			}
			return r
		}
		y := brute.Execution{Prog: x.Prog, Threads: make([][]brute.Event, len(x.Threads)), Co: make([][]brute.Ref, len(x.Co))}
		for t, evs := range x.Threads {
			evs = slices.Clone(evs)
			for i := range evs {
				evs[i].Src = move(evs[i].Src)
			}
			y.Threads[to[t]] = evs
		}
		for l, co := range x.Co {
			for _, ref := range co {
				y.Co[l] = append(y.Co[l], move(ref))
			}
		}
		if k := key(&y); least == "" || k < least {
			least = k
		}
	}
	return least
}

// renamings returns the permutations of the threads that map each class to itself.
func (e *equalProgram) renamings() [][]int {
	if e.renamed != nil {
		return e.renamed
	}
	same := make([]int, len(e.Threads))
	for t := range same {
		same[t] = t
	}
	all := [][]int{same}
	for _, class := range e.equal {
		var more [][]int
		for _, to := range all {
			for _, perm := range permutations(class) {
				to := slices.Clone(to)
				for i, t := range class {
					to[t] = perm[i]
				}
				more = append(more, to)
			}
		}
		all = more
	}
	e.renamed = all
	return all
}

func permutations(list []int) [][]int {
	if len(list) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{list[i]}, p...))
		}
	}
	return all
}

// found is what an exploration finds.
type found struct {
	complete, stuck map[string]bool // up to permutations
	count           int             // of complete executions
	race, cut       bool
	gaveUp          bool
	upTo            []string
}

// explore explores e. It looks at executions if there is a key for them.
func (e *equalProgram) explore(t *testing.T, m brute.Model, o Options, key func(*brute.Execution) string) *found {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	return e.under(t, mod, o, key)
}

// under is explore, under a model that brute does not know.
func (e *equalProgram) under(t *testing.T, mod model.Model, o Options, key func(*brute.Execution) string) *found {
	t.Helper()
	prog := e.lower()
	f := &found{complete: map[string]bool{}, stuck: map[string]bool{}}
	o.Model, o.MemoryCheck, o.Machine = mod, true, machine.Options{SpinAssume: true}
	look := func(x *Execution) {
		if x.Blocked && !x.w.allReadLatest() {
			return
		}
		y := exploretest.ExecutionOf(e.Prog, prog, x.Graph, false)
		k := e.orbit(&y, key)
		if x.Blocked {
			f.stuck[k] = true
			return
		}
		f.complete[k] = true
		f.count++
	}
	if key != nil {
		o.OnExecution = look
	}
	res, err := Explore(t.Context(), prog, o)
	if err != nil {
		t.Fatal(err)
	}
	f.race, f.cut, f.gaveUp, f.upTo = len(res.Errors) > 0, res.Cut != "", res.GaveUp != "", res.UpTo
	return f
}

// TestEqualThreads compares programs with equal threads with the brute-force enumerator: up to permutations, the executions are the same. Those in
// which threads wait for ever are those of an exploration without rule S.
func TestEqualThreads(t *testing.T) {
	for _, m := range twinModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			var compared, all, orbits, with, reduced int
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				deps := slices.Contains(allDepModels, m)
				p := randomEqual(rand.New(rand.NewPCG(s, 11)), i, false, deps)
				if deps && i%3 == 0 {
					p = randomBuffered(rand.New(rand.NewPCG(s, 11)))
				}
				if i%5 == 0 {
					p.Prog = brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
				}
				plain := p.explore(t, m, Options{Options: engine.Options{Workers: 1}, eager: i%3 == 0, limit: 200}, (*brute.Execution).Key)
				if plain.gaveUp || plain.count > 100 {
					continue // to save time
				}
				got := p.explore(t, m, Options{Twins: true, Options: engine.Options{Workers: 1 + i%2}}, (*brute.Execution).Key)
				xs, explorable := enumerated(p.Prog, m)
				want := map[string]bool{}
				for _, x := range xs {
					k := p.orbit(&x, (*brute.Execution).Key)
					want[k] = !got.cut || want[k] || got.complete[k]
					all++
				}
				for _, x := range explorable {
					want[p.orbit(&x, (*brute.Execution).Key)] = true
				}
				maps.DeleteFunc(want, func(_ string, needed bool) bool { return !needed })
				if diff := differ(want, got.complete); diff != "" {
					t.Fatalf("seed %d, model %s, equal %v:\n%v\n%s", s, m, p.equal, p, diff)
				}
				if diff := differ(plain.stuck, got.stuck); diff != "" {
					t.Fatalf("seed %d, model %s, equal %v, stuck:\n%v\n%s", s, m, p.equal, p, diff)
				}
				compared++
				orbits += len(want)
				with += got.count
				if len(got.upTo) > 0 {
					reduced++
				}
			}
			t.Logf("%d programs, %d of them reduced, %d executions, %d up to permutations, %d explored", compared, reduced, all, orbits, with)
		})
	}
}

// TestEqualModels compares programs with equal threads with an exploration without rule S, under Java's models and models in cat.
func TestEqualModels(t *testing.T) {
	var models []model.Model
	for _, name := range []string{"jam19", "jam21", "jam21-thesis"} {
		m, err := model.Get(name, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	for _, m := range []brute.Model{brute.SC, brute.TSO, brute.RC11, brute.IMM, brute.ARMv8, brute.Power} {
		models = append(models, twin(t, m))
	}
	for _, m := range models {
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			var compared, all, with int
			for i := range *programs / 16 {
				s := *seed + uint64(i)
				p := randomEqual(rand.New(rand.NewPCG(s, 15)), i, m.Traits().Races.Allowed && i%2 == 0, m.Traits().Deps != nil)
				o := Options{Options: engine.Options{Workers: 1}}
				want := p.under(t, m, o, (*brute.Execution).Key)
				o.Twins = true
				got := p.under(t, m, o, (*brute.Execution).Key)
				if diff := differ(want.complete, got.complete) + differ(want.stuck, got.stuck); diff != "" {
					t.Fatalf("seed %d, model %s, equal %v:\n%v\n%s", s, m.Name(), p.equal, p, diff)
				}
				if want.cut != got.cut {
					t.Fatalf("seed %d, model %s, equal %v:\n%v\nbounded: %v, should be %v", s, m.Name(), p.equal, p, got.cut, want.cut)
				}
				compared, all, with = compared+1, all+want.count, with+got.count
			}
			t.Logf("%d programs, %d executions, %d explored", compared, all, with)
		})
	}
}

// TestEqualLoops compares the outcomes of programs whose equal threads go round, retry, and confirm what they have read, some with weak compare-and-swaps, with those of an exploration
// without rule S. That leaves no rounds out, but where threads that spin for ever are compared, too.
func TestEqualLoops(t *testing.T) {
	for _, m := range twinModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			compared, reduced := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				p := randomEqualLoops(rand.New(rand.NewPCG(s, 16)), i)
				liveness := i%8 > 3
				got, upTo := p.outcomes(t, m, Options{Twins: true}, liveness)
				if got == nil {
					continue // it takes too long, or the verdict says that not all was explored
				}
				want, _ := p.outcomes(t, m, Options{AllRounds: !liveness}, liveness)
				if want == nil {
					continue
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s, equal %v:\n%v\noutcomes:\n%s\nshould be\n%s", s, m, p.equal, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if compared++; slices.Contains(upTo, "symmetry") {
					reduced++
				}
			}
			t.Logf("%d programs, %d of them reduced", compared, reduced)
		})
	}
}

// randomEqualLoops returns a random program with equal threads that have loops.
func randomEqualLoops(r *rand.Rand, i int) *equalProgram {
	var p *brute.Prog
	switch i % 5 {
	case 0:
		p = brute.RandomRounds(r, i%3 == 0)
	case 1:
		p = brute.RandomRetries(r, i%3 == 0)
	case 2:
		for p == nil || p.Child(1) || len(p.Threads) > 2 && p.Child(2) { // main creates all threads here
			p = brute.RandomAwaits(r, i%3 == 0)
		}
	default:
		p = brute.RandomConfirms(r, i%3 == 0)
	}
	n := 2
	if len(p.Threads[0].Body) == 1 && r.IntN(3) == 0 {
		n = 3
	}
	threads := slices.Repeat(p.Threads[:1], n)
	if r.IntN(2) == 0 {
		threads = append(threads, p.Threads[1])
	}
	if i%3 == 1 {
		for _, t := range threads {
			weaken(t.Body)
		}
	}
	p.Threads = threads
	equal := []int{0, 1, 2}
	return &equalProgram{Prog: p, equal: [][]int{equal[:n]}}
}

// weaken lets compare-and-swaps fail spuriously.
func weaken(body []brute.Stmt) {
	for i := range body {
		s := &body[i]
		s.Weak = s.Kind == brute.CAS
		weaken(s.Then)
		weaken(s.Else)
	}
}

// outcomes returns what memory has in the end, in all complete executions, or which error there is. What equal threads return they add up in memory instead. It is nil if that takes too long, or
// leaves something out and says so.
func (e *equalProgram) outcomes(t *testing.T, m brute.Model, o Options, liveness bool) (list, upTo []string) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := e.lower()
	if len(e.equal) > 0 {
		brute.SumResults(prog)
	}
	set := map[string]bool{}
	o.Model = mod
	o.Options = engine.Options{Workers: max(o.Workers, 1), RaceCheck: true, MemoryCheck: true, Liveness: liveness, KeepGoing: liveness, Symmetry: o.Symmetry, Machine: machine.Options{SpinAssume: true, Unroll: 2}, Timeout: time.Minute}
	o.limit = *maxEnds
	o.OnExecution = func(x *Execution) {
		if x.Blocked {
			return
		}
		set[outcomeOf(x)] = true
	}
	res, err := Explore(t.Context(), prog, o)
	switch {
	case err != nil:
		t.Fatal(err)
	case slices.ContainsFunc(res.Errors, func(e report.Error) bool { return e.Kind == "race" }):
		return []string{"race"}, res.UpTo // what comes after a race is not explored
	case len(res.Errors) > 0:
		return []string{res.Errors[0].Kind}, res.UpTo
	case res.GaveUp != "", liveness && res.Cut != "", strings.Contains(res.Cut, "iterations of the loop"):
		return nil, nil
	}
	return append([]string{"outcomes"}, slices.Sorted(maps.Keys(set))...), res.UpTo
}

// TestMixed does so for programs in which locks, barriers, retries and waits come together, with and without equal threads, and with one order of arrival at barriers. The other
// exploration postpones no reads either.
func TestMixed(t *testing.T) {
	for _, m := range slices.Concat(twinModels, []brute.Model{brute.JAM21, brute.JAM19}) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			compared, reduced := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				prog, n := brute.RandomMixed(rand.New(rand.NewPCG(s, 17)), i%3 == 0)
				prog.Assumes = i%11 > 7
				p := &equalProgram{Prog: prog}
				if equal := []int{0, 1, 2}; n > 0 {
					p.equal = [][]int{equal[:n]}
				}
				liveness := i%8 > 3
				got, upTo := p.outcomes(t, m, Options{Twins: i%5 > 0, cyclic: i%3 == 1 && !liveness, Options: engine.Options{Workers: 1 + i%7/6, Symmetry: true}}, liveness)
				if got == nil {
					continue // it takes too long, or the verdict says that not all was explored
				}
				want, _ := p.outcomes(t, m, Options{AllRounds: !liveness, eager: i%4 > 0}, liveness)
				if want == nil {
					continue
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s, equal %v, liveness %v:\n%v\noutcomes:\n%s\nshould be\n%s", s, m, p.equal, liveness, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if compared++; len(upTo) > 0 {
					reduced++
				}
			}
			t.Logf("%d programs, %d of them reduced", compared, reduced)
		})
	}
}

// stronger are pairs of models: what the first allows the second does, too, whatever the modes are. Tests of package brute compare them on single candidates.
var stronger = [][2]brute.Model{
	{brute.SC, brute.TSO},
	{brute.TSO, brute.PSO},
	{brute.SC, brute.RC11of2017},
	{brute.RC11of2017, brute.RC11},
	{brute.RC11, brute.RA},
	{brute.SC, brute.IMM},
	{brute.SC, brute.ARMv8},
	{brute.SC, brute.Power},
	{brute.SC, brute.ARMv7},
	{brute.SC, brute.RISCV},
	{brute.SC, brute.LKMM},
	{brute.SC, brute.JAM21},
	{brute.SC, brute.JAM19},
	{brute.ARMv8, brute.IMM},
	{brute.Power, brute.IMM},
	{brute.ARMv7, brute.IMM},
	{brute.RISCV, brute.IMM},
}

// TestMixedInclusions compares the outcomes of such programs under two models, one of which is weaker. It relies on nothing that the engine does without reductions.
func TestMixedInclusions(t *testing.T) {
	compared := 0
	for i := range *rounds / 4 {
		s := *seed + uint64(i)
		prog, n := brute.RandomMixed(rand.New(rand.NewPCG(s, 18)), false)
		p := &equalProgram{Prog: prog}
		if equal := []int{0, 1, 2}; n > 0 {
			p.equal = [][]int{equal[:n]}
		}
		outcomes := map[brute.Model]map[string]bool{}
		bounded := map[brute.Model]bool{}
		for _, pair := range stronger {
			for _, m := range pair {
				if outcomes[m] == nil {
					outcomes[m], bounded[m] = p.allOutcomes(t, m)
				}
			}
			strong, weak := outcomes[pair[0]], outcomes[pair[1]]
			if bounded[pair[1]] {
				continue
			}
			compared++
			for o := range strong {
				if !weak[o] {
					t.Fatalf("seed %d, equal %v:\n%v\n%s has the outcome %s, %s has not", s, p.equal, p, pair[0], o, pair[1])
				}
			}
		}
	}
	t.Logf("%d pairs compared", compared)
}

// allOutcomes returns the outcomes of e with all reductions, and whether there may be more.
func (e *equalProgram) allOutcomes(t *testing.T, m brute.Model) (set map[string]bool, bounded bool) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := e.lower()
	if len(e.equal) > 0 {
		brute.SumResults(prog)
	}
	set = map[string]bool{}
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Twins: true, limit: *maxEnds, Options: engine.Options{Workers: 1, MemoryCheck: true, Symmetry: true, Machine: machine.Options{SpinAssume: true, Unroll: 3}, Timeout: time.Minute},
		OnExecution: func(x *Execution) {
			if !x.Blocked {
				set[outcomeOf(x)] = true
			}
		},
	})
	if err != nil || len(res.Errors) > 0 {
		t.Fatalf("%v under %s: %v %v", e, m, err, res.Errors)
	}
	return set, res.Cut != "" || res.GaveUp != ""
}

// TestEqualRaces compares whether programs with equal threads have races with an exploration without rule S.
func TestEqualRaces(t *testing.T) {
	for _, m := range []brute.Model{brute.SC, brute.TSO, brute.RC11, brute.IMM, brute.LKMM} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			races := 0
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				p := randomEqual(rand.New(rand.NewPCG(s, 13)), i%3, true, false)
				o := Options{Options: engine.Options{Workers: 1, RaceCheck: true}}
				want := p.explore(t, m, o, nil).race
				o.Twins = true
				if got := p.explore(t, m, o, nil).race; got != want {
					t.Fatalf("seed %d, model %s, equal %v:\n%v\nrace: %v, should be %v", s, m, p.equal, p, got, want)
				}
				if want {
					races++
				}
			}
			t.Logf("%d races", races)
		})
	}
}

// TestEqualBarriers compares programs with equal threads that meet at a barrier, some with others, with the brute-force enumerator.
func TestEqualBarriers(t *testing.T) {
	for _, m := range []brute.Model{brute.SC, brute.TSO, brute.RA, brute.RC11} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs / 8 {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 14))
				threads := strings.Split(randomBarrier(r), " || ")
				var class []int
				for t := range threads {
					if t < 2 || r.IntN(2) == 0 {
						threads[t] = threads[0]
						class = append(class, t)
					}
				}
				if len(threads) == 2 && r.IntN(2) == 0 {
					threads = append(threads, []string{"r0=x; x=2", "y=1.rel; r0=x.acq", "x=1.sc; r0=y.sc"}[r.IntN(3)])
				}
				p := &equalProgram{Prog: brute.MustParse(strings.Join(threads, " || ")), equal: [][]int{class}}
				want := map[string]bool{}
				for _, x := range brute.Enumerate(p.Prog, m) {
					want[p.orbit(&x, withoutBarrier)] = true
				}
				got := p.explore(t, m, Options{Twins: true, Options: engine.Options{Workers: 1, Symmetry: true}}, withoutBarrier)
				if diff := differ(want, got.complete); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}

// differ says how two sets of executions differ.
func differ(want, got map[string]bool) string {
	var diff strings.Builder
	exploretest.Compare(&diff, want, slices.Collect(maps.Keys(got)))
	return diff.String()
}

// TestEqualJoined compares programs whose main thread joins equal threads in some way, and may do something before and between their creations: up to permutations,
// the executions are those of an exploration without rule S.
func TestEqualJoined(t *testing.T) {
	for _, m := range twinModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			var compared, all, with int
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 12))
				prog, n := brute.RandomEqual(r)
				for i%8 > 0 && storesFirst(prog) {
					prog, n = brute.RandomEqual(r) // in which there is more to reduce
				}
				if r.IntN(2) == 0 {
					act(r, prog, 1+r.IntN(n-1), true)
				}
				if r.IntN(3) == 0 {
					act(r, prog, 0, false)
				}
				mod, err := model.Get(string(m), model.Options{})
				if err != nil {
					t.Fatal(err)
				}
				explore := func(twins bool) (map[string]bool, int) {
					keys, count := map[string]bool{}, 0
					res, err := Explore(t.Context(), prog, Options{
						Model: mod, Twins: twins, Options: engine.Options{Workers: 1 + i%2, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}},
						OnExecution: func(x *Execution) {
							if count++; !x.Blocked || x.w.allReadLatest() {
								keys[graphOrbit(x.Graph, n)] = true
							}
						},
					})
					if err != nil || len(res.Errors) > 0 {
						t.Fatalf("seed %d, model %s: %v %+v", s, m, err, res)
					}
					return keys, count
				}
				if res, err := Explore(t.Context(), prog, Options{Model: mod, Options: engine.Options{Workers: 1, Machine: machine.Options{SpinAssume: true}}}); err != nil || res.Complete+res.Blocked > 200 {
					continue // to save time
				}
				want, k := explore(false)
				got, l := explore(true)
				if diff := differ(want, got); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, prog, diff)
				}
				compared, all, with = compared+1, all+k, with+l
			}
			t.Logf("%d programs, %d executions, %d explored", compared, all, with)
		})
	}
}

// storesFirst reports whether the first thing that the equal threads of prog do is to store.
func storesFirst(prog *ir.Program) bool {
	f := prog.Funcs[slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == "t0" })]
	for _, in := range f.Blocks[0].Instrs {
		switch in.Op {
		case ir.Store:
			return true
		case ir.Load, ir.RMW, ir.CmpXchg:
			return false
		}
	}
	return false
}

// act has main store to a location, or add to it, before it creates thread k: to one of the program, or to one of its own.
func act(r *rand.Rand, prog *ir.Program, k int, own bool) {
	g := prog.Globals[r.IntN(len(prog.Globals))]
	if own && r.IntN(3) > 0 {
		g = &ir.Global{Name: "own", Size: 4, Align: 4}
		prog.AddGlobal(g)
	}
	mode := []event.Mode{event.Rlx, event.Rel, event.SC}[r.IntN(3)]
	in := ir.Instr{Op: ir.Store, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(uint64(g.Addr)), B: ir.Imm(3), C: ir.Imm(0), Size: 4, Mode: mode}
	if r.IntN(2) == 0 {
		in.Op, in.RMW, in.Dst = ir.RMW, event.Add, ir.Reg(prog.Main.Regs)
		prog.Main.Regs++
	}
	b := prog.Main.Blocks[0]
	b.Instrs = slices.Insert(b.Instrs, k, in)
}

// graphOrbit returns what graphs have in common iff they differ only by a permutation of threads 1 to n. How many threads main has joined does not count.
func graphOrbit(g *graph.Graph, n int) string {
	var class []int
	for t := range n {
		class = append(class, t+1)
	}
	place := map[graph.ID]int{}
	for _, evs := range g.Threads {
		i := 0
		for _, id := range evs {
			if k := g.Events[id].Kind; k != graph.Join && k != graph.Create {
				place[id] = i
				i++
			}
		}
	}
	least := ""
	for _, perm := range permutations(class) {
		to := func(t int32) int32 {
			if t >= 1 && int(t) <= n {
				return int32(perm[t-1])
			}
			return t
		}
		name := func(id graph.ID) string {
			if id == graph.Init {
				return "init"
			}
			return fmt.Sprintf("(%d,%d)", to(g.Events[id].Thread), place[id])
		}
		lines := make([]string, len(g.Threads))
		for t, evs := range g.Threads {
			var b strings.Builder
			for _, id := range evs {
				switch e := &g.Events[id]; e.Kind {
				case graph.Join, graph.Create:
				case graph.Read:
					fmt.Fprintf(&b, " R %v<-%s", g.Locs[e.Loc].Addr, name(e.RF))
				case graph.Write:
					fmt.Fprintf(&b, " W %v", g.Locs[e.Loc].Addr)
				default:
					fmt.Fprintf(&b, " %d", e.Kind)
				}
			}
			lines[to(int32(t))] = fmt.Sprintf("%d:%s", to(int32(t)), b.String())
		}
		var co []string
		for i := range g.Locs {
			if l := &g.Locs[i]; len(l.Co) > 2 {
				line := fmt.Sprintf("co %v:", l.Addr)
				for _, id := range l.Co[1:] {
					line += " " + name(id)
				}
				co = append(co, line)
			}
		}
		slices.Sort(co)
		if k := strings.Join(append(lines, co...), "\n"); least == "" || k < least {
			least = k
		}
	}
	return least
}
