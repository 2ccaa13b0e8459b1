package states

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/short"
)

// The five barriers of the queue are necessary under lmo, each by the configuration that the thesis names
// (§5.2.2.6), and under tso none is. The queue without the other two, E8 and E25, is right in every
// configuration. For E10 the thesis names E|D;E;C;E;D;D, in which nothing runs beside C; its description of the error
// (§5.2.2.5) needs E and C in parallel, as in configuration 10.
func TestQueue(t *testing.T) {
	for _, test := range short.Every(3, []struct {
		config int
		with   string
		wrong  bool
		live   bool
	}{
		{4, "", false, false},
		{4, "E8=acquire E25=release", false, false},
		{4, "E5=none", true, false},
		{4, "D6=none", true, false},
		{5, "", false, false},
		{5, "E8=acquire E25=release", false, false},
		{5, "D8=none", true, false},
		{6, "", false, false},
		{6, "E8=acquire E25=release", false, false},
		{6, "D4=none", true, false},
		{7, "", false, false},
		{10, "", false, true},
		{10, "E10=none", true, true},
	}) {
		if (test.config == 7 || test.config == 10) && testing.Short() {
			continue
		}
		flags := []string{"-mcx16", fmt.Sprintf("-DCONFIG=%d", test.config)}
		for _, d := range strings.Fields(test.with) {
			flags = append(flags, "-D"+d)
		}
		p := loadC(t, "msq.c", flags...)
		for _, m := range []Model{TSO, LMO} {
			if m == TSO && test.live {
				continue
			}
			start := time.Now()
			res := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, Liveness: test.live, Timeout: 10 * time.Minute}, POR: true})
			t.Logf("config %d with %q under %v: %+v, %d bytes, %v", test.config, test.with, m, res.Counts, res.Memory.Bytes, time.Since(start).Round(time.Millisecond))
			for _, e := range res.Errors {
				t.Logf("%s: %s at %v (%s)", e.Kind, e.Message, e.Location, e.StrongestModel)
			}
			if wrong := len(res.Errors) > 0; wrong != (test.wrong && m == LMO) || res.GaveUp != "" || res.Cut != "" && !wrong {
				t.Errorf("config %d with %q under %v: %v %s %s", test.config, test.with, m, wrong, res.GaveUp, res.Cut)
			}
		}
	}
}
