package justify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
	"ravel/internal/smt"
)

const corpus = "../../testdata/java"

func parseTest(t testing.TB, name string) *litmus.Test {
	t.Helper()
	file := filepath.Join(corpus, name+".litmus")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := frontend.Parse(name+".litmus", src)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// readTable returns the rows of testdata/java/expected.tsv by column.
func readTable(t testing.TB) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	var rows []map[string]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if head == nil {
			head = fields
			continue
		}
		row := map[string]string{}
		for i, f := range fields {
			row[head[i]] = f
		}
		rows = append(rows, row)
	}
	return rows
}

// columns are the models of expected.tsv.
var columns = map[string]Options{
	"hb":    {Rules: Single},
	"jls":   {Rules: JLS},
	"free":  {Rules: JLS, Identity: Free},
	"as":    {Rules: AspinallSevcik},
	"jam21": {Model: "jam21", Substitution: true},
	"jam19": {Model: "jam19", Substitution: true},
}

// TestTable compares with what testdata/java/expected.tsv knows of each test and model.
func TestTable(t *testing.T) {
	for column, opts := range columns {
		t.Run(column, func(t *testing.T) {
			opts.Unroll = 2
			for _, row := range readTable(t) {
				want := row[column]
				if want == "-" {
					continue
				}
				test := parseTest(t, row["name"])
				a, err := Analyse(test, opts)
				if err != nil {
					t.Errorf("%s: %v", row["name"], err)
					continue
				}
				w, err := a.Allows(test.Cond.Prop)
				if err != nil {
					t.Fatal(err)
				}
				if got := map[bool]string{true: "yes", false: "no"}[w != nil]; got != want {
					t.Errorf("%s: %s, want %s (%d executions)", row["name"], got, want, a.Graphs)
				}
			}
		})
	}
}

// TestSolvers compares verdicts where a solver decides, those about values out of thin air, between the embedded
// solver and the ones that are installed.
func TestSolvers(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			solver, err := smt.External(name)
			if err != nil {
				t.Skip(err)
			}
			for _, test := range []string{"ctc4", "ctc8", "LbOdd", "LbOdd-5", "bait-and-switch-2", "memsat21"} {
				test := parseTest(t, test)
				var verdicts []bool
				for _, s := range []smt.Solver{smt.Embedded(), solver} {
					a, err := Analyse(test, Options{Rules: Single, Solver: s})
					if err != nil {
						t.Fatal(err)
					}
					// Also a condition that no constant of the test satisfies.
					odd := &litmus.Prop{Kind: litmus.PNot, Args: []*litmus.Prop{test.Cond.Prop}}
					for _, p := range []*litmus.Prop{test.Cond.Prop, odd} {
						w, err := a.Allows(p)
						if err != nil {
							t.Fatal(err)
						}
						verdicts = append(verdicts, w != nil)
					}
				}
				if verdicts[0] != verdicts[2] || verdicts[1] != verdicts[3] {
					t.Errorf("%s: embedded %v, %s %v", test.Name, verdicts[:2], name, verdicts[2:])
				}
			}
		})
	}
}

// TestVarHandle has the tests that herd does not run, such as those with compareAndSet: jam21 must say what the
// documentation of VarHandle and jcstress do.
func TestVarHandle(t *testing.T) {
	done := 0
	for _, row := range readTable(t) {
		test := parseTest(t, row["name"])
		if row["jam21"] != "-" || row["varhandle"] == "-" || strings.Contains(test.String(), "lock") {
			continue
		}
		a, err := Analyse(test, Options{Model: "jam21"})
		if err != nil {
			t.Fatal(err)
		}
		w, err := a.Allows(test.Cond.Prop)
		if err != nil {
			t.Fatal(err)
		}
		if got := map[bool]string{true: "yes", false: "no"}[w != nil]; got != row["varhandle"] {
			t.Errorf("%s: %s, want %s", row["name"], got, row["varhandle"])
		}
		done++
	}
	if done < 5 {
		t.Errorf("only %d tests", done)
	}
}
