package jmm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/internal/short"
)

// TestEmit writes the tests of the corpus for each target and reads them again: under the model of the target they have the outcomes that Compile finds, and their conditions have the verdict
// that those of the sources have of these outcomes.
func TestEmit(t *testing.T) {
	files, err := filepath.Glob("../../testdata/java/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	written, verdicts := map[string]int{}, map[string]int{}
	files = short.Every(6, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		test, err := frontend.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(Targets(), "power-openjdk9", "aarch64-ldapr") {
			s, err := LoadScheme(name)
			if err != nil {
				t.Fatal(err)
			}
			code, err := Emit(test, s)
			if err != nil {
				if !strings.Contains(err.Error(), "--emit does not write") && !strings.Contains(err.Error(), "compile does not do") {
					t.Error(err)
				}
				continue
			}
			written[name]++
			want, err := Compile(context.Background(), test, s, justify.Options{Model: "jam21"})
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := frontend.Parse(test.Name, []byte(code))
			if err != nil {
				t.Fatal(err)
			}
			states, verdict := emittedStates(t, compiled, s.Model)
			if want := compiledStates(want); states != want {
				t.Errorf("%s for %s:\n%s\nhave %s\nwant %s", test.Name, name, code, states, want)
			}
			translated, err := Translate(test, s)
			if err != nil {
				t.Fatal(err)
			}
			if _, want := emittedStates(t, translated, s.Model); verdict != want {
				t.Errorf("%s for %s: the condition is true %s, want %s\n%s", test.Name, name, verdict, want, code)
			}
			verdicts[name+" "+verdict]++
		}
	}
	for _, name := range Targets() {
		if verdicts[name+" Never"] == 0 || verdicts[name+" Sometimes"] == 0 {
			t.Errorf("%s: no test whose condition is never true, or none whose is sometimes: %v", name, verdicts)
		}
		if written[name] < short.Count(120, 12) {
			t.Errorf("only %d of %d tests were written for %s", written[name], len(files), name)
		}
	}
}

// TestEmitLoops writes read-modify-writes for processors that have exclusives.
func TestEmitLoops(t *testing.T) {
	test, err := frontend.Parse("rmw", []byte(`Java rmw
{ x=0; y=0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }
Thread0 { int r1 = X.getAndAdd(2); Y.setRelease(1); }
Thread1 { int r2 = Y.getAcquire(); int r3 = X.compareAndExchangeAcquire(2, 5); int r4 = X.getAndSetRelease(7); }
exists (1:r2=1 /\ 1:r3=0)
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"power": {"lwarx r10,r0,r1", "stwcx. r11,r0,r1", "bne R01", "cmpw r12,r13"},
		"riscv": {"lr.w.aq.rl x14,0(x5)", "lr.w.aq x16,0(x6)", "sc.w.rl x17,x15,0(x5)", "bne x17,x0,R00"},
	} {
		s, err := LoadScheme(name)
		if err != nil {
			t.Fatal(err)
		}
		code, err := Emit(test, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(code, part) {
				t.Errorf("%s: no %q in\n%s", name, part, code)
			}
		}
		want, err := Compile(context.Background(), test, s, justify.Options{Model: "jam21"})
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := frontend.Parse(test.Name, []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if have, _ := emittedStates(t, compiled, s.Model); have != compiledStates(want) {
			t.Errorf("%s: have %s, want %s", name, have, compiledStates(want))
		}
	}
}

// TestEmitArrays writes accesses to elements of arrays, by a constant and by a register, for each target.
func TestEmitArrays(t *testing.T) {
	test, err := frontend.Parse("arrays", []byte(`Java arrays
{ x=0; int a[2]={1, 0}; 0:A=a; 0:X=x; 1:A=a; 1:X=x; }
Thread0 { A.setOpaque(1, 2); int r1 = X.getOpaque(); A.set(r1, 3); }
Thread1 { int r2 = A.getOpaque(1); X.setOpaque(1); int r3 = A.getAndAdd(1, 4); }
exists (0:r1=1 /\ 1:r2=2 /\ a[0]=1)
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Targets() {
		s, err := LoadScheme(name)
		if err != nil {
			t.Fatal(err)
		}
		code, err := Emit(test, s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Compile(context.Background(), test, s, justify.Options{Model: "jam21"})
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := frontend.Parse(test.Name, []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if have, _ := emittedStates(t, compiled, s.Model); have != compiledStates(want) {
			t.Errorf("%s: have %s, want %s\n%s", name, have, compiledStates(want), code)
		}
	}
}

// emittedStates returns the values of the final states, in the order of the locations clause, and whether the condition is true Never, Sometimes or Always.
func emittedStates(t *testing.T, test *litmus.Test, model string) (states, verdict string) {
	t.Helper()
	m, err := enumerate.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	res, err := enumerate.Run(test, m, enumerate.Options{Ctx: context.Background(), Unroll: 1})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range res.States {
		var vals []string
		for _, o := range test.Locations {
			vals = append(vals, s.Values[slices.Index(res.Locs, o.Loc)].String())
		}
		all = append(all, strings.Join(vals, " "))
	}
	slices.Sort(all)
	return strings.Join(all, "; "), res.Observation()
}

// compiledStates returns the same of a report.
func compiledStates(r *CompileReport) string {
	var all []string
	for _, s := range r.States {
		var vals []string
		for part := range strings.SplitSeq(s.State, ";") {
			if _, v, ok := strings.Cut(part, "="); ok {
				vals = append(vals, strings.TrimSpace(v))
			}
		}
		all = append(all, strings.Join(vals, " "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}
