package check

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestJava checks programs under Java's models.
func TestJava(t *testing.T) {
	needClang(t)
	dir := filepath.Join(corpus, "c/java")
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		t.Run(r["file"]+" "+r["flags"], func(t *testing.T) {
			t.Parallel()
			res, err := checkRow(t, dir, r)
			if err != nil {
				t.Fatal(err)
			}
			if string(res.Verdict) != r["verdict"] {
				t.Fatalf("verdict %s, want %s (%s)\n%s %v", res.Verdict, r["verdict"], r["note"], res.Reason, res.Errors)
			}
			expectCount(t, "complete", res.Executions.Complete, r["complete"], r["note"])
		})
	}
}

func mustLoad(t *testing.T, file string, flags ...string) *ir.Program {
	t.Helper()
	p, err := Load([]string{file}, "", flags)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// count returns how many executions a program has.
func count(t *testing.T, p *ir.Program, name string, o model.Options) int64 {
	t.Helper()
	m, err := model.Get(name, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Explore(t.Context(), p, explore.Options{Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Errors) > 0 {
		t.Fatalf("%s: %s", name, res.Errors[0].Message)
	}
	return res.Complete
}

// published are the tests for which the column cat_closed of jam21_semantics.tsv is not the published model: it counts among
// executions that are coherent in C11, where a release sequence goes on with the later writes of its thread, and takes an
// RMW as two events. The programs are those of the tests; their executions are counted by brute force.
var published = map[string]string{
	"MP+rels+acq":    "x=1; y=0.rel; y=1 || r=y.acq; if(r==1){a=x}",
	"MP+rels+acqf":   "x=1; y=0.rel; y=1 || r=y; if(r==1){F.acq; a=x}",
	"MPU+rels+acq":   "x=1; y=0.rel; y=1 || FADD(y,1) || r=y.acq; if(r==2){x=2} else {if(r==3){x=2}}",
	"MPU+rels+acqf":  "x=1; y=0.rel; y=1 || FADD(y,1) || r=y; if(r==2){F.acq; x=2} else {if(r==3){F.acq; x=2}}",
	"MPU2+rels+acq":  "x=1; y=0.rel; y=1 || CAS(y,2,3) || CAS(y,1,2) || r=y.acq; if(r==3){x=2}",
	"MPU2+rels+acqf": "x=1; y=0.rel; y=1 || CAS(y,2,3) || CAS(y,1,2) || r=y; if(r==3){F.acq; x=2}",
	"S+rels+acq":     "x=1; y=0.rel; y=1 || r=y.acq; if(r==1){x=2}",
	"S+rels+acqf":    "x=1; y=0.rel; y=1 || r=y; if(r==1){F.acq; x=2}",
	"relseq":         "x=1; y=1.rel; y=2 || XCHG(y,3) || a=y; F.acqrel; b=x",
	"Z6.U":           "x=1.sc; y=1.rel || FADD(y,1).sc; a=y || y=3.sc; b=x.sc",
}

// TestJavaColumns compares the numbers of executions of the litmus tests with those of an independent enumeration.
func TestJavaColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("checks larger programs")
	}
	needClang(t)
	const table = "../../../shared/facts/jam21_semantics.tsv"
	if _, err := os.Stat(table); err != nil {
		t.Skip("no jam21_semantics.tsv beside the repository")
	}
	want := map[string]row{}
	for _, r := range readManifest(t, table) {
		want[r["test"]] = r
	}
	dir := filepath.Join(corpus, "c/litmus")
	seen := map[string]bool{}
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		test := r["row"]
		if seen[test] || want[test]["cat"] == "" {
			continue
		}
		seen[test] = true
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, filepath.Join(dir, r["file"]))
			for _, c := range []struct {
				column, model string
				variants      []string
			}{
				{"cat_closed", "jam21", nil},
				{"cat_closed", "jam21", []string{"c11"}},
				{"cat", "jam21", []string{"c11", "direct"}},
				{"thesis_literal", "jam21-thesis", nil},
			} {
				n := want[test][c.column]
				if text := published[test]; text != "" && c.variants == nil && c.model == "jam21" {
					n = fmt.Sprint(len(brute.Enumerate(brute.MustParse(text), brute.JAM21)))
				}
				if got := count(t, p, c.model, model.Options{Variants: c.variants}); fmt.Sprint(got) != n {
					t.Errorf("%s %v: %d executions, want %s (column %s)", c.model, c.variants, got, n, c.column)
				}
			}
		})
	}
	if len(seen) < 90 {
		t.Errorf("only %d tests have a row in the table", len(seen))
	}
}

// TestJavaVolatile checks that programs in which all accesses are volatile have the executions that sc allows them, as many as sc says.
func TestJavaVolatile(t *testing.T) {
	if testing.Short() {
		t.Skip("checks larger programs")
	}
	needClang(t)
	for _, test := range []struct {
		file  string
		flags []string
	}{
		{"c/bench/only-sc.c", nil},
		{"c/java/only-sc-wide.c", []string{"-DN=4"}},
		{"c/java/psc-wb-fp.c", nil},
		{"c/bench/peterson.c", []string{"-DSEQ_CST", "-DL=5"}},
	} {
		p := mustLoad(t, filepath.Join(corpus, test.file), test.flags...)
		sc := count(t, p, "sc", model.Options{})
		if n := count(t, p, "jam21", model.Options{}); n != sc {
			t.Errorf("%s: %d executions under jam21, %d under sc", test.file, n, sc)
		}
	}
}
