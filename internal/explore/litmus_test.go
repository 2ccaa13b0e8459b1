package explore

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/model"
)

// litmusLines returns the rows of a table, the first of which has the names of the columns.
func litmusLines(t *testing.T, file string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

// outcomes returns how many executions of p end with the outcome, and how many do not.
func outcomes(t *testing.T, p *brute.Prog, m brute.Model, outcome string) (with, without int) {
	t.Helper()
	for _, x := range executions(t, p, m, 1, false, false) {
		ok, err := x.Holds(outcome)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			with++
		} else {
			without++
		}
	}
	return with, without
}

// TestLitmusTable checks the verdicts of testdata/litmus-hw.tsv, whose head says where they come from.
func TestLitmusTable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all shapes under all models")
	}
	const first, sources = 3, 2 // columns before and after the verdicts
	rows := litmusLines(t, "../../testdata/litmus-hw.tsv")
	cells := 0
	for _, f := range rows[1:] {
		p, err := brute.Parse(f[1])
		if err != nil {
			t.Error(err)
			continue
		}
		for i, want := range f[first : len(f)-sources] {
			if want == "-" {
				continue
			}
			cells++
			m := brute.Model(rows[0][first+i])
			got := "forbidden"
			if with, _ := outcomes(t, p, m, f[2]); with > 0 || want == "allowed" && m == brute.LKMM && isBounded(t, p) {
				got = "allowed" // or not explored
			}
			if got != want {
				t.Errorf("%s under %s: %s, want %s (%s)\n%v", f[0], m, got, want, strings.Join(f[len(f)-sources:], "; "), p)
			}
		}
	}
	t.Logf("%d rows, %d cells", len(rows)-1, cells)
}

// isBounded reports whether the verdict of p under lkmm would be bounded.
func isBounded(t *testing.T, p *brute.Prog) bool {
	t.Helper()
	m, err := model.Get("lkmm", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, cut := executionsAndCut(t, p, m, 1, false, false)
	return cut != ""
}

// TestLitmusArchive checks the programs of the litmus archives that package brute has, under the model of
// their architecture without a mapping: a verdict is how many executions have the outcome and how many have not,
// or whether one has.
func TestLitmusArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all litmus tests")
	}
	archs := map[string]brute.Model{"AArch64": brute.ARMv8, "ARM": brute.ARMv7, "PPC": brute.Power, "RISCV": brute.RISCV}
	for _, f := range litmusLines(t, "../brute/testdata/litmus.tsv")[1:] {
		file, outcome, want := f[0], f[2], f[3]
		arch, _, _ := strings.Cut(file, "/")
		with, without := outcomes(t, brute.MustParse(f[1]), archs[arch].Raw(), outcome)
		ok := fmt.Sprint(with, without) == want
		if want == "yes" || want == "no" {
			ok = (with > 0) == (want == "yes")
		}
		if !ok {
			t.Errorf("%s: %d executions with %s, %d without, want %s\n%s", file, with, outcome, without, want, f[1])
		}
	}
}
