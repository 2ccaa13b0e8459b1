package explore

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
	"ravel/internal/model"
)

var catPrograms = flag.Int("cat-programs", 40, "random programs per model for the models in cat")

// twin returns the model of that name written in cat.
func twin(t *testing.T, m brute.Model) model.Model {
	t.Helper()
	name, raw := strings.CutSuffix(string(m), "-raw")
	c, err := catmodel.Embedded(name, catmodel.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	return c.Explorer()
}

// keysUnder returns the executions of a program under a model, sorted: some may be there twice.
func keysUnder(t *testing.T, p *brute.Prog, m model.Model, workers int) []string {
	t.Helper()
	var keys []string
	for _, x := range executionsUnder(t, p, m, workers, false, false) {
		keys = append(keys, x.Key())
	}
	slices.Sort(keys)
	return keys
}

// difference says what one of two sorted lists has that the other has not.
func difference(got, want []string) string {
	var diff strings.Builder
	for i, k := range got {
		if i > 0 && k == got[i-1] {
			fmt.Fprintf(&diff, "twice:\n%s\n", k)
		}
		if _, ok := slices.BinarySearch(want, k); !ok {
			fmt.Fprintf(&diff, "extra:\n%s\n", k)
		}
	}
	for _, k := range want {
		if _, ok := slices.BinarySearch(got, k); !ok {
			fmt.Fprintf(&diff, "missing:\n%s\n", k)
		}
	}
	return diff.String()
}

// randomFor returns a random program for a model: with dependencies and instructions where the model knows them.
func randomFor(m brute.Model, seed uint64) *brute.Prog {
	rnd := rand.New(rand.NewPCG(seed, 5))
	c := brute.Config{}
	if slices.Contains(depModels, m) {
		c.Deps = true
		if slices.Contains(tagModels, m) && rnd.IntN(2) == 0 {
			c.Tags = m
		}
	}
	return brute.Random(rnd, c)
}

// TestCat compares the executions of random programs under models in cat with those that the enumerator finds.
func TestCat(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m), func(t *testing.T) {
			twin := twin(t, m)
			for i := range *catPrograms {
				p := randomFor(m, *seed+uint64(i))
				var want []string
				for _, x := range brute.Enumerate(p, m) {
					want = append(want, x.Key())
				}
				slices.Sort(want)
				if diff := difference(keysUnder(t, p, twin, 1), want); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", *seed+uint64(i), m, p, diff)
				}
			}
		})
	}
}

// TestCatTwins compares the executions under models in cat with those under the same models in Go, also with the access modes of
// hardware models as they are, and with several workers.
func TestCatTwins(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m), func(t *testing.T) {
			cats := []model.Model{nil, nil}
			natives := []model.Model{nil, nil}
			for i, raw := range []bool{false, true} {
				c, err := catmodel.Embedded(string(m), catmodel.Options{Raw: raw})
				if err != nil {
					t.Fatal(err)
				}
				cats[i] = c.Explorer()
				if natives[i], err = model.Get(string(m), model.Options{Raw: raw}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range *catPrograms {
				p := randomFor(m, *seed+uint64(i)+1e6)
				workers := 1
				if i%16 == 0 {
					workers = 4
				}
				if diff := difference(keysUnder(t, p, cats[i%2], workers), keysUnder(t, p, natives[i%2], workers)); diff != "" {
					t.Fatalf("seed %d, model %s, raw %v:\n%v\n%s", *seed+uint64(i)+1e6, m, i%2 == 1, p, diff)
				}
			}
		})
	}
}

// TestCatFound compares programs that once were wrong under models in Go.
func TestCatFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all programs under all models")
	}
	for _, m := range append(slices.Clone(depModels), brute.ARMv8.Raw(), brute.RISCV.Raw(), brute.ARMv7.Raw(), brute.Power.Raw()) {
		twin := twin(t, m)
		for _, prog := range depFound {
			p := brute.MustParse(prog.prog)
			var want []string
			for _, x := range brute.Enumerate(p, m) {
				want = append(want, x.Key())
			}
			slices.Sort(want)
			if diff := difference(keysUnder(t, p, twin, 1), want); diff != "" {
				t.Errorf("%s, model %s:\n%s", prog.prog, m, diff)
			}
		}
	}
}

// TestCatForms compares models written in other ways than ours with the models in Go that they are the same as.
func TestCatForms(t *testing.T) {
	for name, text := range map[string]string{
		// x86 by what is ordered locally and globally, with recursive closures.
		"tso": `include "cos.cat"
			empty rmw & (fre; coe) as atomic
			acyclic po-loc | fr | co | rf as internal
			let rec lob = [M]; (po \ ([W]; po; [R])); [M] | [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R] | lob; lob
			let rec ob = (rfe | fre | coe); si | lob | ob; ob
			irreflexive ob as external`,
		// Coherence in parts, and updates that might be one event.
		"rc11-2017": `include "cos.cat"
			let update = [RMW] | rmw
			let release = REL | ACQ_REL | SC
			let acquire = ACQ | ACQ_REL | SC
			let rs = [W]; (po & loc)?; [W & A]; (rf; update)*
			let sw = [release]; ([F]; po)?; rs; rf; [R & A]; (po; [F])?; [acquire]
			let hb = (po | sw | IW * (M \ IW))+
			irreflexive hb
			irreflexive rf; hb
			irreflexive (rf^-1)?; co; rf?; hb
			irreflexive update; (rf | co | fr)+
			empty update & (fr; co)
			let elsewhere = po \ loc
			let scb = po | elsewhere; hb; elsewhere | (hb & loc) | co | fr
			let sc-fence = [F & SC]
			acyclic ([SC] | sc-fence; hb?); scb; ([SC] | hb?; sc-fence) | sc-fence; (hb | hb; (rf | co | fr)+; hb); sc-fence
			acyclic po | rf`,
		// No clocks: coherence is part of one relation.
		"sc": `include "cos.cat"
			let rec before = po | rf | co | fr | before; before
			irreflexive before
			empty rmw & (fr; co)`,
		// Program order by the dependencies and barriers of the later manual, one after the other.
		"riscv": `include "cos.cat"
			include "riscvfences.cat"
			let acq = Acq | AcqRel let rel = Rel | AcqRel
			let near = po-loc \ (po-loc?; [W]; po-loc)
			let ppo = [M]; po-loc; [W] | ([R]; near; [R]) \ (rf^-1; rf) | [X & W]; rfi; [R] | fence | [acq]; po; [M] |
				[M]; po; [rel] | [(acq | rel) & (X | EX)]; po; [(acq | rel) & (X | EX)] | rmw | [M]; addr; [M] | [M]; data; [W] |
				[M]; ctrl; [W] | [M]; (addr | data); [W]; rfi; [R] | [M]; addr; [M]; po; [W]
			acyclic co | rf | fr | po-loc
			acyclic co | rfe | fr | ppo
			empty rmw & (fre; coe)`,
	} {
		t.Run(name, func(t *testing.T) {
			file, err := cat.LoadText(name+"-form.cat", text)
			if err != nil {
				t.Fatal(err)
			}
			form, err := catmodel.New(name, file, catmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			e := form.Explorer()
			native, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range *catPrograms {
				p := randomFor(brute.Model(name), *seed+uint64(i)+2e6)
				if diff := difference(keysUnder(t, p, e, 1), keysUnder(t, p, native, 1)); diff != "" {
					t.Fatalf("seed %d:\n%v\n%s\n%s", *seed+uint64(i)+2e6, p, diff, form.Explain())
				}
			}
		})
	}
}

// TestTwinsFound compares programs on which a model in Go and its twin once differed.
func TestTwinsFound(t *testing.T) {
	for _, test := range []struct {
		model string
		prog  string
		why   string
	}{
		{"pso", "x=1; z=1.rel; y=1 || r0=y; r1=x", "the store barrier before a release store orders the stores before it with all that follow (SPARC manual v8, appendix K)"},
		{"pso", "x=1; x=1.rel; y=1 || r0=y.acq; z=2.rel || r0=z.acq; r1=x.acq", "as above"},
		{"armv8", "y=1.sc; r0=x.sc || F.sc; r0=x; r1=FADD(x,1).aqrl; r2=[y+r0].Q", "an atomic instruction that acquires and releases comes before what follows it"},
		{"riscv", "y=1.sc; r0=x.sc || F.sc; r0=x; r1=FADD(x,1).aqrl; r2=[y+r0].A", "as above"},
		{"imm", "r=l; if(r==0){x=2} || r0=x; x=r0+2; r1=x.acq; l=0", "what a write depends on is not ordered before what comes after an acquire of it"},
		{"armv7", "r0=XCHG(x,2); y=r0*0+2 || r0=y; [y+r0]=1; F.acqrel; [x+r0]=2", "a store-exclusive is committed after its load-exclusive"},
	} {
		for _, raw := range []bool{false, true} {
			native, err := model.Get(test.model, model.Options{Raw: raw})
			if err != nil {
				t.Fatal(err)
			}
			c, err := catmodel.Embedded(test.model, catmodel.Options{Raw: raw})
			if err != nil {
				t.Fatal(err)
			}
			e := c.Explorer()
			p := brute.MustParse(test.prog)
			if diff := difference(keysUnder(t, p, e, 1), keysUnder(t, p, native, 1)); diff != "" {
				t.Errorf("%s, model %s, raw %v (%s):\n%s", test.prog, test.model, raw, test.why, diff)
			}
		}
	}
	// MP has 4 executions under pso; with the barrier, y=1 is not seen before x=1.
	pso, err := model.Get("pso", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(keysUnder(t, brute.MustParse("x=1; z=1.rel; y=1 || r0=y; r1=x"), pso, 1)); n != 3 {
		t.Errorf("%d executions, want 3", n)
	}
}
