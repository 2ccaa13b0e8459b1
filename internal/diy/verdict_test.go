package diy

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
)

// models are loaded once.
var models = map[string]*enumerate.Model{}

func model(t testing.TB, name string) *enumerate.Model {
	t.Helper()
	m, ok := models[name]
	if !ok {
		var err error
		if m, err = enumerate.Load(name); err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	return m
}

// allowed runs a test: is there an execution that makes its proposition true?
func allowed(t testing.TB, file, text, name string) bool {
	t.Helper()
	test, err := frontend.Parse(file, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	res, err := enumerate.Run(test, model(t, name), enumerate.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if res.Bounded {
		t.Fatalf("%s: bounded", file)
	}
	return res.Positive > 0
}

// TestSC: no cycle happens under sequential consistency.
func TestSC(t *testing.T) {
	n := archive(t, func(file string, src []byte, c *Cycle) {
		text, err := c.Litmus()
		if err != nil {
			t.Fatal(err)
		}
		if allowed(t, file, text, "sc") {
			t.Errorf("%s: %s is allowed under sc\n%s", file, c, text)
		}
	})
	t.Log(n, "cycles")
}

// TestArchiveVerdicts: our text for the cycle of a test of the field has the verdict of herd and Dartagnan for that test. Those whose
// condition is not the cycle (a list of states, a negation, reads that diy adds to observe writes of several sizes) say nothing of it.
func TestArchiveVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all generated litmus tests")
	}
	tsv, err := os.ReadFile("../../../shared/litmus/expected.tsv")
	if err != nil {
		t.Skip("no ../shared/litmus here")
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(tsv)) {
		f := strings.Split(line, "\t")
		rows[f[0]] = f
	}
	count := 0
	archive(t, func(file string, src []byte, c *Cycle) {
		f := rows[file]
		if f == nil || f[1] != "core" || f[2] == "armv8-aarch32" || c.mixed || strings.Contains(file, "+locked") {
			return
		}
		if c.Arch == LKMM && strings.Contains(c.String(), "DpCtrl") {
			return // these compare what they read, but have no if
		}
		test, err := frontend.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		if test.Cond.Quant == litmus.ForAll || !conjunction(test.Cond.Prop) {
			return
		}
		count++
		text, err := c.Litmus()
		if err != nil {
			t.Fatal(err)
		}
		want := (f[3] == "yes") == (test.Cond.Quant == litmus.Exists)
		if got := allowed(t, file, text, f[2]); got != want {
			t.Errorf("%s under %s: allowed %v, herd %v\n%s\n%s", file, f[2], got, want, text, src)
		}
		m := map[string]brute.Model{"armv8": brute.ARMv8.Raw(), "armv7": brute.ARMv7.Raw(), "power": brute.Power.Raw(), "riscv": brute.RISCV.Raw(), "tso": brute.TSO}[f[2]]
		if m == "" {
			return
		}
		if got, ok, err := bruteAllowed(c, m); ok && (err != nil || got != want) {
			t.Errorf("%s under %s: allowed by brute: %v, herd %v, %v", file, f[2], got, want, err)
		}
	})
	if count < 800 {
		t.Errorf("%d verdicts", count)
	}
	t.Log(count, "verdicts")
}

// conjunction reports whether a proposition is equations with and between them.
func conjunction(p *litmus.Prop) bool {
	if p.Kind == litmus.PAnd {
		return !slices.ContainsFunc(p.Args, func(x *litmus.Prop) bool { return !conjunction(x) })
	}
	return p.Kind == litmus.PAtom && !p.Atom.NotEqual
}
