package check

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ravel/internal/report"
)

// TestXMMTimeout checks that the search for cycles ends in time, with the figures so far and no claim. It would take hours for this program.
func TestXMMTimeout(t *testing.T) {
	needClang(t)
	const limit, slack = time.Second, 5 * time.Second // the machine may be busy
	start := time.Now()
	res, err := checkRow(t, filepath.Join(corpus, "c/structures"), row{"file": "fcombiner-async.c", "flags": "--timeout " + limit.String() + " -DTHREADS=3", "model": "xmm"})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > limit+slack {
		t.Errorf("took %v", took)
	}
	if res.Verdict != report.Unknown || !strings.Contains(res.Reason, "--timeout") {
		t.Errorf("%s: %s", res.Verdict, res.Reason)
	}
}
