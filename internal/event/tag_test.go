package event

import (
	"strings"
	"testing"
)

// TestFenceModes checks what RISC-V's fences count as, by what they order: an acquire fence orders loads with all that follows, a release fence all that is
// before with stores, one that is both and orders stores with loads is seq_cst.
func TestFenceModes(t *testing.T) {
	for tag := FenceRR; tag <= FenceMM; tag++ {
		sets := strings.Split(tag.String(), ".")
		before, after := sets[1], sets[2]
		want := Rlx
		switch {
		case before == "rw" && after == "rw":
			want = SC
		case after == "rw" && strings.Contains(before, "r"):
			want = Acq
		case before == "rw" && strings.Contains(after, "w"):
			want = Rel
		}
		if got := tag.Mode(); got != want {
			t.Errorf("%v counts as %v, want %v", tag, got, want)
		}
	}
	for tag, want := range map[Tag]Mode{DMBSY: SC, DMBLD: Acq, DMBST: Rlx, LWSYNC: AcqRel, FenceTSO: AcqRel, ISB: Rlx, SFENCE: Rel, MFENCE: SC} {
		if got := tag.Mode(); got != want {
			t.Errorf("%v counts as %v, want %v", tag, got, want)
		}
	}
}
