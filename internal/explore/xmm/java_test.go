package xmm

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var javaPrograms = flag.Int("java-programs", 150, "random programs with plain load buffering for Java's models")

// native returns a model of Java.
func native(t *testing.T, m brute.Model) model.Model {
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
	return mod
}

// inCat returns a copy of a model of Java in cat, in which only a name differs.
func inCat(t *testing.T, m brute.Model) model.Model {
	t.Helper()
	name, variant, _ := strings.Cut(string(m), "-")
	own, err := cat.Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(own.File.Src.Text, "volint", "volatiles")
	if variant == "direct" {
		text = strings.ReplaceAll(text, `if "direct"`, `if not "direct"`)
	}
	f, err := cat.LoadText("copy.cat", text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catmodel.New("copy.cat", f, catmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Missing(true) != "" {
		t.Fatalf("the copy of %s: %s", m, c.Missing(true))
	}
	return c.Explorer()
}

// inJava returns the executions that are visited under a model of Java, by key, and how many of them have cycles.
func inJava(t *testing.T, p *brute.Prog, mod model.Model, inMain bool) (keys []string, cyclic int64) {
	t.Helper()
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

// javaDifference returns how the executions that are visited under mod differ from those of the brute-force construction for m.
func javaDifference(t *testing.T, p *brute.Prog, m brute.Model, mod model.Model, inMain bool) (diff string, cyclic int64) {
	t.Helper()
	want := map[string]bool{}
	for _, x := range brute.Reexecuted(p, m) {
		want[x.Key()] = true
	}
	keys, cyclic := inJava(t, p, mod, inMain)
	var b strings.Builder
	exploretest.Compare(&b, want, keys)
	return b.String(), cyclic
}

// TestJavaRandom compares random programs, most of whose accesses are plain, with the brute-force construction, under each of Java's models that allow cycles.
func TestJavaRandom(t *testing.T) { testJavaRandom(t, native, *javaPrograms) }

// TestJavaRandomCat is TestJavaRandom for copies of the models in cat, which are explored as models of a user's.
func TestJavaRandomCat(t *testing.T) { testJavaRandom(t, inCat, *javaPrograms/3) }

func testJavaRandom(t *testing.T, make func(*testing.T, brute.Model) model.Model, programs int) {
	t.Parallel()
	models := []brute.Model{brute.JAM21, brute.JAM21Direct, brute.JAM19}
	made := map[brute.Model]model.Model{}
	for _, m := range models {
		made[m] = make(t, m)
	}
	cyclic := 0
	for i := range programs {
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
			diff, n := javaDifference(t, p, m, made[m], s%4 == 0)
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

// TestJavaStartsCat compares the models in Go with copies in cat on programs whose threads start and join others.
func TestJavaStartsCat(t *testing.T) {
	t.Parallel()
	for _, m := range []brute.Model{brute.JAM21, brute.JAM19} {
		one, other := native(t, m), inCat(t, m)
		for i := range *javaPrograms {
			s := *seed + uint64(i)
			p := brute.Random(rand.New(rand.NewPCG(s, 11)), brute.Config{Plain: s%2 == 0, Deps: true, Starts: true, Threads: 4, PerThread: 3, Total: 6})
			want := map[string]bool{}
			keys, _ := inJava(t, p, one, false)
			for _, k := range keys {
				want[k] = true
			}
			keys, _ = inJava(t, p, other, false)
			var diff strings.Builder
			if exploretest.Compare(&diff, want, keys); diff.Len() > 0 {
				t.Fatalf("seed %d, %s:\n%v\n%s", s, m, p, diff.String())
			}
		}
	}
}

// TestJavaRaces compares programs in which the races of r=x and x=1 are not where they could be buffered: the second thread reads x before it tells the third one, by y, to write it, or after the
// third one has told it by z. The first program has no other plain accesses, so it has no cycles. In the second one, x=1 also races with a read of x that no write comes after.
func TestJavaRaces(t *testing.T) {
	for prog, cyclic := range map[string]int64{
		"m=1.rel; r0=a.acq; if(r0==1){y=1.rel} || r0=m.acq; if(r0==1){a=1.rel; r1=z.acq; if(r1==1){r=x.na; y=1.rel}} else {r=x.na; y=1.rel} || r0=y.acq; if(r0==1){x=1.na; z=1.rel}":                                                                                         0,
		"n=1.rel; m=1.rel; r0=a.acq; if(r0==1){y=1.rel} || r3=n.acq; if(r3==1){g=1.rel; r=x.na} else {r0=m.acq; if(r0==1){a=1.rel; r1=z.acq; if(r1==1){r=x.na; y=1.rel}} else {r=x.na; y=1.rel}} || r0=y.acq; if(r0==1){x=1.na; z=1.rel} else {r1=g.acq; if(r1==1){x=1.na}}": 1,
	} {
		if diff, n := javaDifference(t, brute.MustParse(prog), brute.JAM21, native(t, brute.JAM21), false); diff != "" || n != cyclic {
			t.Errorf("%s: %d executions with cycles, want %d\n%s", prog, n, cyclic, diff)
		}
	}
}
