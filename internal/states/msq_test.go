package states

import (
	"fmt"
	"testing"
	"time"
)

// The five barriers of the queue are necessary under lmo, each by the configuration that the thesis names.
func TestQueue(t *testing.T) {
	for _, test := range []struct {
		config  int
		without string
		wrong   bool
		live    bool
	}{
		{4, "", false, false},
		{4, "E5", true, false},
		{4, "D6", true, false},
		{5, "", false, false},
		{5, "D8", true, false},
		{6, "D4", true, false},
		{10, "", false, true},
		{10, "E10", true, true},
	} {
		if test.config == 10 && testing.Short() {
			continue
		}
		flags := []string{"-mcx16", fmt.Sprintf("-DCONFIG=%d", test.config)}
		if test.without != "" {
			flags = append(flags, "-D"+test.without+"=none")
		}
		p := loadC(t, "msq.c", flags...)
		for _, m := range []Model{TSO, LMO} {
			if m == TSO && test.live {
				continue
			}
			start := time.Now()
			res := mustExplore(t, p, Options{Model: m, MemoryCheck: true, POR: true, Liveness: test.live, Timeout: 60 * time.Second})
			t.Logf("config %d without %q under %v: %+v, %d bytes, %v %s %s", test.config, test.without, m, res.Counts, res.Memory.Bytes, time.Since(start).Round(time.Millisecond), res.GaveUp, res.Cut)
			for _, e := range res.Errors {
				t.Logf("%s: %s at %v (%s)", e.Kind, e.Message, e.Location, e.StrongestModel)
			}
			if wrong := len(res.Errors) > 0; wrong != (test.wrong && m == LMO) {
				t.Errorf("config %d without %q under %v: %v", test.config, test.without, m, wrong)
			}
		}
	}
}
