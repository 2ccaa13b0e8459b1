package check

import (
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/report"
)

// TestXMMTimeout checks that the search for cycles ends in time, with the figures so far and no claim. It would take hours for this program.
func TestXMMTimeout(t *testing.T) {
	needClang(t)
	res, err := checkRow(t, filepath.Join(corpus, "c/structures"), row{"file": "fcombiner-async.c", "flags": "--timeout 1s -DTHREADS=3", "model": "xmm"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict != report.Unknown || !strings.Contains(res.Reason, "--timeout") {
		t.Errorf("%s: %s", res.Verdict, res.Reason)
	}
}
