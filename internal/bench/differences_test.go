package bench

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	update     = flag.Bool("update-docs", false, "write docs/differences.md")
	rowTimeout = flag.Duration("row-timeout", 2*time.Second, "of a row of a table; rows that take longer are not compared")
)

// TestDifferences compares the list of differences with what the tables print: each figure that differs is listed with ours and theirs, and each that is
// listed differs.
func TestDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all tables")
	}
	listed, err := Differences()
	if err != nil {
		t.Fatal(err)
	}
	key := func(f Figure) string { return strings.Join([]string{f.Table, f.Where, f.Program, f.What}, "\t") }
	known := map[string]Figure{}
	for _, f := range listed {
		if _, twice := known[key(f)]; twice {
			t.Errorf("%s: listed twice", key(f))
		}
		if f.Why == "" || f.Ours == f.Theirs {
			t.Errorf("%s: no reason, or no difference: %+v", key(f), f)
		}
		known[key(f)] = f
	}
	for _, d := range documents {
		if d.table == "hmc" {
			continue // it has seconds only
		}
		printed, err := run(io.Discard, d.table, Options{Timeout: *rowTimeout, counts: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range printed {
			have, ok := known[key(f)]
			switch {
			case f.Ours == f.Theirs && ok:
				t.Errorf("%s: listed, but both are %s", key(f), f.Ours)
			case f.Ours != f.Theirs && (!ok || have.Ours != f.Ours || have.Theirs != f.Theirs):
				t.Errorf("not listed, or not so:\n%s\t%s\t%s", key(f), f.Theirs, f.Ours)
			}
		}
	}
}

// TestDifferencesPage checks that docs/differences.md is what ravel bench differences writes.
func TestDifferencesPage(t *testing.T) {
	const file = "../../docs/differences.md"
	var want bytes.Buffer
	if err := WriteDifferences(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(have, want.Bytes()) {
		t.Errorf("docs/differences.md is not what ravel bench differences writes (%v): run go test ./internal/bench -run TestDifferencesPage -update-docs", err)
	}
}
