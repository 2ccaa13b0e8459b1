package states

import (
	"testing"

	"ravel/internal/engine"
)

// A cycle, or a violation of a formula, is found before all states are known.
func TestOnTheFly(t *testing.T) {
	defer func(old int64) { firstLook = old }(firstLook)
	firstLook = 1000
	p := loadC(t, "livelock.c", "-DMORE=200")
	all := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true}})
	if len(all.Errors) > 0 {
		t.Fatalf("%+v", all)
	}
	for _, o := range []Options{{Options: engine.Options{Liveness: true}}, {LTL: "F T2@end"}} {
		res := mustExplore(t, p, o)
		if len(res.Errors) != 1 || res.Errors[0].Kind != "liveness" || res.Errors[0].Repeats < 2 {
			t.Errorf("%+v", res)
		}
		if res.Stored > all.Stored*9/10 {
			t.Errorf("found after %d of %d states", res.Stored, all.Stored)
		}
		t.Logf("found after %d of %d states", res.Stored, all.Stored)
	}
}
