package justify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ravel/internal/frontend/litmus"
)

const corpus = "../../testdata/java"

func parseTest(t testing.TB, name string) *litmus.Test {
	t.Helper()
	file := filepath.Join(corpus, name+".litmus")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := litmus.Parse(name+".litmus", src)
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
				start := time.Now()
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
				if d := time.Since(start); d > 300*time.Millisecond {
					t.Logf("%s: %v, %d executions, %d outcomes", row["name"], d, a.Graphs, len(a.Outcomes))
				}
			}
		})
	}
}
