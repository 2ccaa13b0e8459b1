package xmm

import (
	"flag"
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

var javaPrograms = flag.Int("java-programs", 150, "random programs with plain load buffering for Java's models")

// inJava returns the executions that are visited under a model of Java, by key, and how many of them have cycles.
func inJava(t *testing.T, p *brute.Prog, m brute.Model, inMain bool) (keys []string, cyclic int64) {
	t.Helper()
	name, variant, _ := strings.Cut(string(m), "-")
	var variants []string
	if variant != "" {
		variants = []string{variant}
	}
	mod, err := model.Get(name, model.Options{Variants: variants})
	if err != nil {
		t.Fatal(err)
	}
	prog, first := brute.Lower(p), 1
	if inMain {
		prog, first = brute.LowerInMain(p), 0
	}
	opts := explore.Options{
		Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}},
		OnExecution: func(x *explore.Execution) {
			e := exploretest.ExecutionFrom(first, p, prog, x.Graph, false)
			keys = append(keys, e.Key())
		},
	}
	Use(&opts, nil)
	res, err := explore.Explore(t.Context(), prog, opts)
	if err != nil {
		t.Fatal(err)
	}
	if res.GaveUp != "" || len(res.Errors) > 0 || int(res.Complete) != len(keys) {
		t.Fatalf("%v\n%d executions, %d counted, errors %v %s", p, len(keys), res.Complete, res.Errors, res.GaveUp)
	}
	return keys, res.Cyclic
}

// javaDifference returns how the executions that are visited under m differ from those of the brute-force construction.
func javaDifference(t *testing.T, p *brute.Prog, m brute.Model, inMain bool) (diff string, cyclic int64) {
	t.Helper()
	want := map[string]bool{}
	for _, x := range brute.Reexecuted(p, m) {
		want[x.Key()] = true
	}
	keys, cyclic := inJava(t, p, m, inMain)
	var b strings.Builder
	exploretest.Compare(&b, want, keys)
	return b.String(), cyclic
}

// TestJavaRandom compares random programs, most of whose accesses are plain, with the brute-force construction, under each of Java's models that allow cycles.
func TestJavaRandom(t *testing.T) {
	t.Parallel()
	models := []brute.Model{brute.JAM21, brute.JAM21Direct, brute.JAM19}
	cyclic := 0
	for i := range *javaPrograms {
		s := *seed + uint64(i)
		cfg := brute.Config{Plain: true, Deps: true, Threads: 3, PerThread: 3, Total: 6}
		if s%5 == 0 {
			cfg = brute.Config{Plain: true, Deps: true, Threads: 3, PerThread: 4, Total: 7, NoFences: s%2 == 0}
		}
		p := brute.Random(rand.New(rand.NewPCG(s, 9)), cfg)
		for k, m := range models {
			if k > 0 && s%3 != uint64(k) {
				continue
			}
			diff, n := javaDifference(t, p, m, s%4 == 0)
			if diff != "" {
				t.Fatalf("seed %d, %s:\n%v\n%s", s, m, p, diff)
			}
			if n > 0 {
				cyclic++
			}
		}
		if (i+1)%1000 == 0 {
			t.Logf("%d programs agree", i+1)
		}
	}
	t.Logf("%d with cycles", cyclic)
	if cyclic == 0 {
		t.Error("no program has cycles")
	}
}

// TestJavaRaces compares programs in which the races of r=x and x=1 are not where they could be buffered: the second thread reads x before it tells the third one, by y, to write it, or after the
// third one has told it by z. The first program has no other plain accesses, so it has no cycles. In the second one, x=1 also races with a read of x that no write comes after.
func TestJavaRaces(t *testing.T) {
	for prog, cyclic := range map[string]int64{
		"m=1.rel; r0=a.acq; if(r0==1){y=1.rel} || r0=m.acq; if(r0==1){a=1.rel; r1=z.acq; if(r1==1){r=x.na; y=1.rel}} else {r=x.na; y=1.rel} || r0=y.acq; if(r0==1){x=1.na; z=1.rel}":                                                                                         0,
		"n=1.rel; m=1.rel; r0=a.acq; if(r0==1){y=1.rel} || r3=n.acq; if(r3==1){g=1.rel; r=x.na} else {r0=m.acq; if(r0==1){a=1.rel; r1=z.acq; if(r1==1){r=x.na; y=1.rel}} else {r=x.na; y=1.rel}} || r0=y.acq; if(r0==1){x=1.na; z=1.rel} else {r1=g.acq; if(r1==1){x=1.na}}": 1,
	} {
		if diff, n := javaDifference(t, brute.MustParse(prog), brute.JAM21, false); diff != "" || n != cyclic {
			t.Errorf("%s: %d executions with cycles, want %d\n%s", prog, n, cyclic, diff)
		}
	}
}
