package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// xmmExplored returns the keys of the executions that Explore visits under xmm.
func xmmExplored(t *testing.T, p *brute.Prog) (keys []string) {
	t.Helper()
	m, err := model.Get(model.XMM, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	res, err := Explore(prog, Options{
		Model: m, Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true},
		OnExecution: func(x *Execution) {
			e := executionOf(p, prog, x.Graph, false)
			keys = append(keys, e.Key())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Errors) > 0 || int(res.Complete) != len(keys) {
		t.Fatalf("%v\n%d executions, %d counted, errors %v", p, len(keys), res.Complete, res.Errors)
	}
	return keys
}

// xmmDiff returns how the executions that Explore visits under xmm differ from those that the brute-force construction has.
func xmmDiff(t *testing.T, p *brute.Prog) string {
	t.Helper()
	want := map[string]bool{}
	for _, x := range brute.XMM(p) {
		want[x.Key()] = true
	}
	var diff strings.Builder
	seen := map[string]bool{}
	for _, k := range xmmExplored(t, p) {
		switch {
		case seen[k]:
			fmt.Fprintf(&diff, "twice:\n%s\n", k)
		case !want[k]:
			fmt.Fprintf(&diff, "extra:\n%s\n", k)
		}
		seen[k] = true
	}
	for k := range want {
		if !seen[k] {
			fmt.Fprintf(&diff, "missing:\n%s\n", k)
		}
	}
	return diff.String()
}

// TestXMMRandom compares random programs with the brute-force construction: three threads of up to six accesses in all, and some of
// eight, also with four threads. make fuzz-models takes more of them.
func TestXMMRandom(t *testing.T) {
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
		if diff := xmmDiff(t, p); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// TestXMMPrograms compares programs with more than one cycle, and those whose cycles need more than one re-execution.
func TestXMMPrograms(t *testing.T) {
	for _, prog := range []string{
		"a=x; y=1 || b=y; x=1 || c=z; w=1 || d=w; z=1",                         // two cycles that have nothing to do with each other
		"a=x; y=1 || b=y; x=1; c=z; w=1 || d=w; z=1",                           // one after the other
		"x=2; r1=x; if(r1==2){} else {y=1} || x=1; r2=x; r3=y; if(r3==1){x=3}", // the last one from a graph with a cycle
		"z=1 || r=z; m=1; m=1; s=x; if(r==0){y=1} else {if(s==1){y=1}} || q=m; a=y; x=a",
		"r1=x; if(r1==0){a=1; r=z; y=r} else {b=1; s=z; y=s} || p=a; if(p==0){q=b; if(q==1){z=1}} else {z=1} || r=y; x=r",
		"p=a; q=b; c=1; d=1 || r=d; if(r==1){a=1} || s=c; if(s==1){b=1}", // under rc11 the first thread reads only initial values
		"a=x; FADD(z,1); y=1 || b=y; FADD(z,1); x=1",
		"a=x; F.rel; y=1 || b=y; F.acq; x=1",
		"a=x; y=1; F.sc; c=z || b=y; z=1; F.sc; x=1",
		"r0=CAS(x,1,2).rlx/acq; y=r0*0+0 || y=2; r0=y; x=r0+1.rel", // y=0 is not after an acquire in the cycle only
	} {
		if diff := xmmDiff(t, brute.MustParse(prog)); diff != "" {
			t.Errorf("%s:\n%s", prog, diff)
		}
	}
}
