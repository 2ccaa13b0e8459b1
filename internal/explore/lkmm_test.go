package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestKernel compares the executions of random programs with the kernel's fences, locks and read-side critical sections with those that
// the brute-force enumerator finds.
func TestKernel(t *testing.T) {
	for _, cfg := range []brute.Config{
		{Deps: true},
		{Deps: true, Tags: brute.LKMM},
		{Tags: brute.LKMM},
	} {
		for i := range *programs / 2 {
			s := *seed + uint64(i)
			p := brute.Random(rand.New(rand.NewPCG(s, 5)), cfg)
			if diff := compare(t, p, brute.LKMM, 1, false); diff != "" {
				t.Errorf("seed %d, %+v:\n%v\n%s", s, cfg, p, diff)
				t.Fatalf("smaller: %v", shrink(t, p, brute.LKMM))
			}
		}
	}
	t.Logf("bounded %d times, in %d of which no execution was missing", kernelBounded, kernelOverly)
}

// TestKernelRaces compares data races of random programs with plain accesses, and the executions of those that have none.
func TestKernelRaces(t *testing.T) {
	racy := 0
	for i := range *programs {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 6)), brute.Config{NA: true, Deps: i%2 == 0, Tags: brute.LKMM})
		want := slices.ContainsFunc(brute.Enumerate(p, brute.LKMM), func(x brute.Execution) bool { return x.Race })
		if got, bounded := hasRace(t, p); got != want && (got || !bounded) {
			t.Fatalf("seed %d:\n%v\nrace %v, want %v", s, p, got, want)
		}
		if want {
			racy++
			continue
		}
		if diff := compare(t, p, brute.LKMM, 1, false); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s\nsmaller: %v", s, p, diff, shrink(t, p, brute.LKMM))
		}
	}
	t.Logf("%d of %d programs have a race", racy, *programs)
}

// TestKernelMessages does so for threads that hand plain data over, with and without what orders it: many of them have no race.
func TestKernelMessages(t *testing.T) {
	racy := 0
	for i := range *programs {
		s := *seed + uint64(i)
		text := kernelMessages(rand.New(rand.NewPCG(s, 7)))
		p := brute.MustParse(text)
		want := slices.ContainsFunc(brute.Enumerate(p, brute.LKMM), func(x brute.Execution) bool { return x.Race })
		if got, bounded := hasRace(t, p); got != want && (got || !bounded) {
			t.Fatalf("seed %d: %s\nrace %v, want %v", s, text, got, want)
		}
		if want {
			racy++
			continue
		}
		if diff := compare(t, p, brute.LKMM, 1, false); diff != "" {
			t.Fatalf("seed %d: %s\n%s", s, text, diff)
		}
	}
	t.Logf("%d of %d programs have a race", racy, *programs)
}

// kernelMessages returns a program in which threads access x in turn, as the flags y and z say.
func kernelMessages(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	fence := func() string { return pick("F.smp_mb; ", "F.smp_mb; ", "F.sc; ", "F.smp_wmb; ", "F.smp_rmb; ", "") }
	other := func() string {
		return pick("", "", "u=1; ", "u=2.rel; ", "r9=u; ", "r8=u; r9=u.acq; ", "r8=FADD(u,1); ")
	}
	data := func() string { return pick("x=1.na; ", "x=2.na; ", "r7=x.na; ", "r7=x.na; ", "x=3; ", "r7=x; ") }
	tell := func(flag string) string {
		return pick(flag+"=1", flag+"=1", flag+"=1.rel", "r6=FADD("+flag+",1)", "r6=XCHG("+flag+",1).rel")
	}
	hear := func(flag string) string {
		return pick("r0="+flag, "r0="+flag, "r0="+flag+".acq", "r0=FADD("+flag+",4)") + "; "
	}
	text := data() + other() + fence() + tell("y") + " || " + hear("y") + other() + fence() + "if(r0==1){" + data() + fence()
	if r.IntN(3) > 0 {
		return text + tell("z") + "} || " + hear("z") + fence() + "if(r0==1){" + data() + "}"
	}
	return text + "} || " + pick("r0=FADD(y,2)", "r0=FADD(y,0)", "r0=u; u=3", "u=1; y=2") // RMWs after a release
}

// compareKernel compares the executions of p under lkmm with those of the brute-force enumerator. Those in which a write behind the arms of a branch is performed
// before what the branch tests may be missing, and some with grace periods: then the verdict has to be bounded.
func compareKernel(t *testing.T, p *brute.Prog, workers int) string {
	t.Helper()
	mod, err := model.Get("lkmm", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allowed, want := map[string]bool{}, map[string]bool{}
	brute.Compare(p, brute.LKMM, []brute.Model{brute.LKMMJoined, brute.LKMMInPo}, func(x brute.Execution, allows []bool) {
		allowed[x.Key()] = true
		if allows[0] || allows[1] {
			want[x.Key()] = true
		}
	})
	waits := strings.Contains(p.String(), "synchronize_rcu") // and readers may keep others waiting
	// A cycle may go through the beginning or the end of a thread: r0=x; START(1) || z=2 || r0=z until !0; x=1.
	waits = waits || strings.Contains(p.String(), "JOIN") || strings.Contains(p.String(), "START")
	var diff strings.Builder
	for _, cyclic := range []bool{false, true} {
		all, cut := executionsAndCut(t, p, mod, workers, false, cyclic)
		got := map[string]bool{}
		for _, x := range all {
			k := x.Key()
			switch {
			case got[k]:
				fmt.Fprintf(&diff, "twice:\n%s\n", k)
			case !allowed[k]:
				fmt.Fprintf(&diff, "extra:\n%s\n", k)
			}
			got[k] = true
		}
		for k := range allowed {
			if !got[k] && (want[k] && !waits || cut == "") {
				fmt.Fprintf(&diff, "missing, bounded %q:\n%s\n", cut, k)
			}
		}
		if cut != "" {
			kernelBounded++
			if len(got) == len(allowed) {
				kernelOverly++
			}
		}
	}
	return diff.String()
}

// TestKernelFound has programs that random ones have found.
func TestKernelFound(t *testing.T) {
	for _, prog := range []string{
		// y=2 has no place once r1 is 0, and then the other write of y is missing.
		"F.rcu_read_lock; r0=z; F.rcu_read_unlock || z=3; F.synchronize_rcu; r1=y || F.rcu_read_lock; z=1; y=2; F.rcu_read_unlock || y=1",
	} {
		if diff := compareKernel(t, brute.MustParse(prog), 1); diff != "" {
			t.Errorf("%s\n%s", prog, diff)
		}
	}
}

// How often compareKernel found the verdict bounded, and how often no execution was missing then.
var kernelBounded, kernelOverly int

// hasRace reports whether Explore finds a data race under lkmm, and whether the verdict is bounded if not.
func hasRace(t *testing.T, p *brute.Prog) (race, bounded bool) {
	t.Helper()
	m, err := model.Get("lkmm", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Explore(t.Context(), brute.Lower(p), Options{Model: m, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}})
	if err != nil {
		t.Fatal(err)
	}
	return len(res.Errors) > 0 && res.Errors[0].Kind == "race", res.Cut != ""
}

// TestReleaseRfi checks what becomes of a release when the word is changed by relaxed read-modify-writes before it is acquired. That is
// what decides whether the kernel's qspinlock is a lock (examples/qspinlock). lkmm.cat says the same.
func TestReleaseRfi(t *testing.T) {
	for _, test := range []struct {
		prog, execution, why string
		want                 map[brute.Model]bool
	}{
		{
			"x=1; y=1.rel || FADD(y,2) || r=y.acq; s=x", "2: R y 3<-(1,1); R x 0<-(init)", "another thread's",
			map[brute.Model]bool{"lkmm-2018": true, brute.LKMM: false, brute.ARMv8: false, brute.Power: false, brute.RISCV: false},
		},
		{
			"x=1; y=1.rel || XCHG(y,2); r=y.acq; s=x", "1: R y 1<-(0,1); W y 2; R y 2<-(1,1); R x 0<-(init)", "its own",
			map[brute.Model]bool{"lkmm-2018": true, brute.LKMM: true, brute.ARMv8: false, brute.Power: false, brute.RISCV: false},
		},
	} {
		for m, want := range test.want {
			got := slices.ContainsFunc(executions(t, brute.MustParse(test.prog), m, 1, false, false), func(x brute.Execution) bool {
				return strings.Contains(x.Key(), test.execution)
			})
			if got != want {
				t.Errorf("%s (%s): %s: %v, want %v", test.prog, test.why, m, got, want)
			}
		}
	}
}
