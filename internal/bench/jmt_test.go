package bench

import (
	"testing"
	"time"
)

// TestJMT holds us to the columns of jMT's table 1, for the rows that we have: the same passes and fails, which
// makes the same failing tests in groups where all or none fail; the others are named in its text or follow from
// herd's verdicts (testdata/java/expected.tsv). No test takes a second.
func TestJMT(t *testing.T) {
	rows, _, err := read("jmt")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Options: Options{Timeout: time.Minute}}
	found, err := b.jmtRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"CTC 1-16":           {"13 / 0 / 0", "8 / 5 / 0"},
		"CTC 17, 18":         {"2 / 0 / 0", "2 / 0 / 0"},
		"jcstress Java 5":    {"27 / 0 / 0", "27 / 0 / 0"},
		"jcstress VarHandle": {"0 / 0 / 28", "24 / 1 / 3"},
		"S&A":                {"6 / 0 / 0", "4 / 2 / 0"},
		"MT":                 {"2 / 0 / 0", "1 / 0 / 1"}, // of 24 rows
	}
	for _, g := range jmtTotals(found) {
		if w, ok := want[g.group]; ok && (g.jls != w[0] || g.herd != w[1]) {
			t.Errorf("%s: jls04 %s, jam21 as herd %s; want %v", g.group, g.jls, g.herd, w)
		}
	}
	fails := map[string]bool{
		"Test 8": true, "Test 9": true, "Test 10": true, "Test 13": true, "Test 16": true, "Coherence Opaque 1 0": true,
		"Read intro. target": true, "Read elim. target": true,
	}
	for _, r := range found {
		if r.herd != "-" && (r.herd != r.expected) != fails[r.test] {
			t.Errorf("%s: jam21 as herd %s, expected %s", r.test, r.herd, r.expected)
		}
		if r.seconds > 1 {
			t.Errorf("%s takes %.2f s", r.test, r.seconds)
		}
	}
}
