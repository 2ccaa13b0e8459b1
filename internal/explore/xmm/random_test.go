package xmm

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var (
	programs = flag.Int("programs", 400, "random programs")
	loops    = flag.Int("loops", 40, "random programs with loops")
	seed     = flag.Uint64("seed", 1, "of the first random program")
)

// explored returns the executions that are visited under xmm.
func explored(t *testing.T, p *brute.Prog, strong bool) (all []brute.Execution) {
	t.Helper()
	m, err := model.Get(model.XMM, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	opts := explore.Options{
		Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, NoSpuriousCAS: strong, Machine: machine.Options{SpinAssume: true}},
		OnExecution: func(x *explore.Execution) {
			if !x.Blocked {
				all = append(all, exploretest.ExecutionOf(p, prog, x.Graph, false))
			}
		},
	}
	Use(&opts, nil)
	foreseen := foresees(t, &opts)
	res, err := explore.Explore(t.Context(), prog, opts)
	if err != nil {
		t.Fatal(err)
	}
	foreseen()
	if res.GaveUp != "" || len(res.Errors) > 0 || int(res.Complete) != len(all) {
		t.Fatalf("%v\n%d executions, %d counted, errors %v %s", p, len(all), res.Complete, res.Errors, res.GaveUp)
	}
	return all
}

// difference returns how the executions that are visited under xmm differ from those that the brute-force construction has.
func difference(t *testing.T, p *brute.Prog) string {
	t.Helper()
	want := map[string]bool{}
	for _, x := range brute.XMM(p) {
		want[x.Key()] = true
	}
	var keys []string
	for _, x := range explored(t, p, false) {
		keys = append(keys, x.Key())
	}
	var diff strings.Builder
	exploretest.Compare(&diff, want, keys)
	return diff.String()
}

// TestRandom compares random programs with the brute-force construction: three threads of up to six accesses in all, and some of
// eight, also with four threads. make fuzz-models takes more of them.
func TestRandom(t *testing.T) {
	t.Parallel()
	for i := range 13 * *programs { // 5,200
		s := *seed + uint64(i)
		cfg := brute.Config{Deps: true, Threads: 3, PerThread: 3, Total: 6}
		switch {
		case s%5 == 0:
			cfg = brute.Config{Deps: true, Threads: 3, PerThread: 4, Total: 8, NoFences: s%2 == 0}
		case s%10 == 1:
			cfg = brute.Config{Deps: true, Threads: 4, PerThread: 3, Total: 8, NoFences: true}
		}
		p := brute.Random(rand.New(rand.NewPCG(s, 6)), cfg)
		if diff := difference(t, p); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// TestHandover is TestRandom for programs that hand on data by read-modify-writes of one location, as locks and queues do. The only loose read before such a write is often its own one. A few have
// none of the conditions and fences, so that the cycles are many.
func TestHandover(t *testing.T) {
	t.Parallel()
	compareRandom(t, 10, handover)
}

// compareRandom compares the executions of random programs with those of brute force. stream keeps the programs of a test apart from those of others.
func compareRandom(t *testing.T, stream uint64, random func(r *rand.Rand) string) {
	for i := range 5 * *programs {
		s := *seed + uint64(i)
		p := random(rand.New(rand.NewPCG(s, stream)))
		if diff := difference(t, brute.MustParse(p)); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// handover returns a random program of three or four threads: one changes the location x, or y, one reads x and writes to y or z, one reads that and writes to x. z is plain in some.
func handover(r *rand.Rand) string {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	data, n, bare := one("", ".na"), 0, r.IntN(4) == 0
	value := func() int { return 1 + r.IntN(2) }
	reg := func() string { n++; return fmt.Sprintf("r%d", n-1) }
	read := func(loc string) string {
		mode := one("", "", ".acq")
		if loc == "z" {
			mode = data
		}
		return reg() + "=" + loc + mode
	}
	write := func(loc string) string {
		mode := one("", "", ".rel")
		if loc == "z" {
			mode = data
		}
		return fmt.Sprintf("%s=%d%s", loc, value(), mode)
	}
	update := func() string {
		loc := one("x", "x", "x", "y")
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf("%s=CAS(%s,%d,%d)%s", reg(), loc, r.IntN(3), r.IntN(3), one("", "", ".rel/rlx", ".acqrel/acq"))
		case 1:
			return fmt.Sprintf("%s=FADD(%s,1)%s", reg(), loc, one("", "", ".rel", ".acq"))
		}
		return fmt.Sprintf("%s=XCHG(%s,%d)%s", reg(), loc, r.IntN(3), one("", "", ".rel", ".acqrel"))
	}
	either := func(a, b string) string { return one(a, b) }
	thread := func(first, second string) string { // there may be a fence and a condition between the two
		switch {
		case first == "":
			return second
		case bare || second == "":
			return strings.TrimSuffix(first+"; "+second, "; ")
		}
		fence := one("", "", "F.sc; ", "F.acqrel; ", "F.rel; ", "F.acq; ")
		if name, _, ok := strings.Cut(first, "=r"); !ok && strings.HasPrefix(first, "r") && r.IntN(3) > 0 {
			name, _, _ = strings.Cut(name, "=")
			return fmt.Sprintf("%s; %sif(%s==%d){%s}", first, fence, name, r.IntN(3), second)
		}
		return first + "; " + fence + second
	}
	link := one("y", "z")
	threads := []string{
		thread(one("", read("y"), read("z")), update()),
		thread(either(read("x"), update()), write(link)),
		thread(read(link), either(write("x"), update())),
	}
	if r.IntN(3) == 0 {
		threads = append(threads, one(update(), write("x"), write("y")))
	}
	r.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
	return strings.Join(threads, " || ")
}

// programsWithCycles have more than one cycle, or cycles that need more than one re-execution, or that a search in the wrong place would miss.
var programsWithCycles = []string{
	"a=x; y=1 || b=y; x=1 || c=z; w=1 || d=w; z=1",                         // two cycles that have nothing to do with each other
	"a=x; y=1 || b=y; x=1; c=z; w=1 || d=w; z=1",                           // one after the other
	"x=2; r1=x; if(r1==2){} else {y=1} || x=1; r2=x; r3=y; if(r3==1){x=3}", // the last one from a graph with a cycle
	"z=1 || r=z; m=1; m=1; s=x; if(r==0){y=1} else {if(s==1){y=1}} || q=m; a=y; x=a",
	"r1=x; if(r1==0){a=1; r=z; y=r} else {b=1; s=z; y=s} || p=a; if(p==0){q=b; if(q==1){z=1}} else {z=1} || r=y; x=r",
	"p=a; q=b; c=1; d=1 || r=d; if(r==1){a=1} || s=c; if(s==1){b=1}", // under rc11 the first thread reads only initial values
	"a=x; FADD(z,1); y=1 || b=y; FADD(z,1); x=1",
	"a=x; F.rel; y=1 || b=y; F.acq; x=1",
	"a=x; y=1; F.sc; c=z || b=y; z=1; F.sc; x=1",
	"r0=CAS(x,1,2).rlx/acq; y=r0*0+0 || y=2; r0=y; x=r0+1.rel",  // y=0 is not after an acquire in the cycle only
	"r0=x; y=r0+2.rel || r0=y; x=r0+2 || r0=XCHG(x,2)",          // the only loose read is that of the exchange
	"r=x; if(r==0){F.sc; y=1} else {y=1} || s=y; if(s==1){x=1}", // y=1 is not after a fence in the cycle only
	"r=x; if(r==0){y=1; F.sc} else {y=1} || s=y; if(s==1){x=1}",
	"r=x; if(r==0){F.sc; y=1} || s=y; if(s==1){x=1}",
	"r0=x.acq; r1=x; F.rel; y=1 || r0=y; x=2", // one write keeps two promises, and nothing after it does
	"a=x; F.sc; b=y; z=1 || c=z; y=1; F.sc; x=1",
	"a=x; y=1; F.sc; y=2 || b=y; F.sc; c=y; x=1",
	"a=x; y=1; c=v; z=1 || b=z; v=1; d=y; x=1", // each thread has read a promise before it waits for what follows the other one
	"a=x; y=1; c=v; z=a || b=z; v=1; d=y; x=d",
	"a=x; y=1; z=1 || b=y; c=z; x=1; w=1 || d=w; e=z; y=d",
	// The only loose read is that of the first exchange.
	"r0=XCHG(x,2) || r0=x.acq; y=1 || r0=y.acq; x=1",
	"r0=XCHG(x,2) || r0=x.acq; y=1 || r0=XCHG(x,3) || r0=y.acq; x=1", // it reads from another one, which reads from the cycle
	"r0=z; F.sc; r1=XCHG(x,2) || r0=x.acq; y=1 || r0=y.acq; x=1",
	"r0=CAS(x,1,2) || r0=x.acq; y=1 || r0=y.acq; x=1 || x=1",
	"r0=CAS(x,3,2) || r0=x.acq; y=1 || r0=XCHG(x,3) || r0=y.acq; x=1", // it can read only the exchange
	// A compare-and-swap succeeds in the cycle only.
	"r0=XCHG(x,2).acqrel; F.acq; if(r0==2){z=2} || r0=XCHG(x,2) || r0=y; F.rel; r1=CAS(x,1,2) || r0=z; if(r0==2){r1=FADD(x,1)}",
	"r0=z; F.sc; if(r0==2){r1=CAS(x,0,2).acqrel/acq} || r0=FADD(x,1).rel; z=2 || r0=XCHG(x,1)",
	"r0=XCHG(x,2).rel; r1=CAS(y,0,1) || r0=CAS(y,0,1); x=r0.rel", // the only race is of a release exchange and a release store
}

// TestPrograms compares programsWithCycles.
func TestPrograms(t *testing.T) {
	for _, prog := range programsWithCycles {
		if diff := difference(t, brute.MustParse(prog)); diff != "" {
			t.Errorf("%s:\n%s", prog, diff)
		}
	}
}

// TestDeque compares small work-stealing deques, which have the cycles of chase-lev.
func TestDeque(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, d := range [][4]int{{1, 1, 0, 2}, {2, 2, 0, 2}, {3, 3, 0, 2}, {4, 3, 0, 2}, {5, 3, 0, 2}} {
		if diff := difference(t, brute.Deque(d[0], d[1], d[2], d[3])); diff != "" {
			t.Errorf("%v:\n%s", d, diff)
		}
	}
}

// TestWorkers compares what several workers count with what one counts.
func TestWorkers(t *testing.T) {
	t.Parallel()
	m, err := model.Get(model.XMM, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := func(p *brute.Prog, workers int) explore.Counts {
		opts := explore.Options{Model: m, Options: engine.Options{Workers: workers, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
		Use(&opts, nil)
		res, err := explore.Explore(t.Context(), brute.Lower(p), opts)
		if err != nil {
			t.Fatal(err)
		}
		return explore.Counts{Complete: res.Complete, Cyclic: res.Cyclic, Duplicate: res.Duplicate, LBRaces: res.LBRaces}
	}
	var all []*brute.Prog
	for _, prog := range programsWithCycles {
		all = append(all, brute.MustParse(prog))
	}
	for i := range uint64(*programs) / 4 {
		all = append(all, brute.Random(rand.New(rand.NewPCG(*seed+i, 9)), brute.Config{Deps: true, Threads: 3, PerThread: 4, Total: 8, NoFences: i%2 == 0}))
	}
	for _, p := range all {
		one := count(p, 1)
		for _, workers := range []int{2, 4} {
			if got := count(p, workers); got != one {
				t.Fatalf("%v\n%+v with %d workers, %+v with one", p, got, workers, one)
			}
		}
	}
}

// TestWeakCAS is TestRandom for programs whose compare-and-swaps may fail spuriously.
func TestWeakCAS(t *testing.T) {
	t.Parallel()
	for i := range 2 * *programs {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 7)), brute.Config{Deps: true, Threads: 3, PerThread: 3, Total: 6})
		p = brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
		if diff := difference(t, p); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// TestAddUnless compares programs with additions that depend on what is there.
func TestAddUnless(t *testing.T) {
	t.Parallel()
	for i := range 2 * *programs {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 19))
		p, ok := brute.AddUnless(r, brute.Random(r, brute.Config{Deps: true, Threads: 3, PerThread: 3, Total: 6}))
		if !ok {
			continue
		}
		if diff := difference(t, p); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// TestWeakLoops compares the outcomes of random programs that retry a weak CAS until it succeeds, as that of package explore does.
func TestWeakLoops(t *testing.T) {
	t.Parallel()
	for i := range *loops {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 8))
		p := brute.Random(r, brute.Config{Deps: true, Threads: 2, PerThread: 2, Total: 4, NoFences: r.IntN(3) > 0})
		pure, ok := exploretest.AddLoops(r, p)
		if !ok {
			continue
		}
		all := explored(t, p, false)
		if got, want := exploretest.Outcomes(all), exploretest.Outcomes(brute.XMM(p)); !maps.Equal(got, want) {
			t.Fatalf("seed %d:\n%v\noutcomes %v, want %v", s, p, got, want)
		}
		if strong := explored(t, p, true); pure && len(strong) != len(all) {
			t.Fatalf("seed %d:\n%v\n%d executions, %d with a strong CAS", s, p, len(all), len(strong))
		}
	}
}
