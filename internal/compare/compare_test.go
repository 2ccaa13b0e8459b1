package compare

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/diy"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
)

var long = flag.Bool("long", false, "look for tests that are far away")

func load(t testing.TB, names ...string) (list []*enumerate.Model) {
	t.Helper()
	for _, name := range names {
		m, err := enumerate.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// TestFind: the smallest tests that separate two models are those of the literature.
func TestFind(t *testing.T) {
	for _, x := range []struct {
		arch   *diy.Arch
		models string
		name   string
		why    string
	}{
		{diy.X86_64, "sc tso", "SB", "store buffering is what TSO adds (Owens, Sarkar, Sewell, TPHOLs'09)"},
		{diy.X86_64, "tso pso", "MP", "PSO does not keep the order of writes (SPARC v8)"},
		{diy.AArch64, "sc armv8", "MP", "the first of the shapes of two threads, none of which ARMv8 keeps"},
		{diy.C, "ra rc11", "SB+fencescs", "sc accesses and fences are what ra lacks; two fences are the fewest that matter (Lahav et al., PLDI'17)"},
		{diy.C, "rc11 rc11-2017", "MP+porlxrel-coirelrlx+poacqrlx", "a write of the same thread continues a release sequence before C++20"},
	} {
		if x.models == "rc11 rc11-2017" && !*long {
			continue
		}
		f, err := Find(x.arch, load(t, strings.Fields(x.models)...), 6, 7, Options{})
		if err != nil {
			t.Errorf("%s: %v", x.models, err)
			continue
		}
		if f.Cycle == nil {
			t.Errorf("%s: no test among %d, but %s", x.models, f.Looked, x.name)
			continue
		}
		if f.Cycle.Name() != x.name {
			t.Errorf("%s: %s, want %s: %s\n%s", x.models, f.Cycle.Name(), x.name, x.why, f.Text)
		}
		t.Log(x.models, f.Cycle.Name(), f.Looked)
		w, err := f.Outcome.Explain(f.Outcome.Differences[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range w.Why {
			if r.Check == "" || !r.Same || len(r.Cycle) == 0 {
				t.Errorf("%s: no reason in\n%s", x.models, w)
			}
		}
		t.Log("\n" + w.String())
	}
}

// TestSame: a model does not differ from itself.
func TestSame(t *testing.T) {
	f, err := Find(diy.PPC, load(t, "power", "power"), 6, 5, Options{})
	if err != nil || f.Cycle != nil || f.Looked < 100 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestCorpus compares sc with the model of each dialect on our corpus: the tests that differ are those that the model allows, since
// no cycle happens under sc.
func TestCorpus(t *testing.T) {
	const root = "../../testdata/litmus"
	text, err := os.ReadFile(filepath.Join(root, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "\t")
		dir, _, _ := strings.Cut(f[0], "/")
		if dir != "PPC" && dir != "X86" && dir != "AArch64" {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, f[0]))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(src), "Orig=") {
			continue
		}
		test, err := frontend.Parse(f[0], src)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Test(test, load(t, "sc", f[1]), Options{})
		if err != nil {
			t.Fatal(err)
		}
		positive := len(o.Differences) > 0 && o.Differences[0].Positive
		if positive != (f[2] == "allowed") {
			t.Errorf("%s: the outcome differs: %v, but it is %s", f[0], positive, f[2])
		}
		n++
	}
	if n < 300 {
		t.Errorf("%d tests", n)
	}
}
