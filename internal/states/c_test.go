package states

import (
	"fmt"
	"testing"

	"ravel/internal/check"
	"ravel/internal/ir"
)

func loadC(t testing.TB, file string, flags ...string) *ir.Program {
	t.Helper()
	p, err := check.Load([]string{"testdata/" + file}, "", flags)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCounting(t *testing.T) {
	for incs := range 4 {
		p := loadC(t, "counting.c", fmt.Sprintf("-DINCS=%d", incs+1))
		for _, por := range []bool{false, true} {
			res := mustExplore(t, p, Options{MemoryCheck: true, POR: por})
			t.Logf("incs %d por %v: %+v %+v %v", incs+1, por, res.Counts, res.Memory, res.Errors)
		}
	}
}

func BenchmarkCounting(b *testing.B) {
	for _, incs := range []int{3, 4} {
		b.Run(fmt.Sprint("4x", incs), func(b *testing.B) {
			p := loadC(b, "counting.c", fmt.Sprintf("-DINCS=%d", incs))
			var res *Result
			n := int64(0)
			for b.Loop() {
				res = mustExplore(b, p, Options{MemoryCheck: true, Workers: 1})
				n += res.Stored
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(res.Memory.Bytes)/float64(res.Stored), "B/state")
		})
	}
}
