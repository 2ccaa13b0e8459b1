package bench

import (
	"strconv"
	"testing"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
)

// TestGrowing checks the numbers of executions of the table, which the shapes explain: 2^n-1 for rings with barriers
// (each of n reads has two values, all together are forbidden once), n! coherence orders of n writers or of
// n fetch-and-adds, (w+1)^n·w! for n readers of w writes.
func TestGrowing(t *testing.T) {
	rows, _, err := read("litmus")
	if err != nil {
		t.Fatal(err)
	}
	m, err := enumerate.Load("armv8")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		n, err := strconv.Atoi(r["n"])
		if err != nil {
			t.Fatal(err)
		}
		test, err := frontend.Parse(r["shape"], []byte(Growing(r["shape"], n)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := enumerate.Run(test, m, enumerate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.Itoa(res.Executions()); got != r["executions"] {
			t.Errorf("%s(%d): %s executions, want %s", r["shape"], n, got, r["executions"])
		}
	}
}
