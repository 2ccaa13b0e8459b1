package states

import (
	"fmt"
	"strings"
	"testing"

	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	rt "ravel/internal/runtime"
)

func loadC(t testing.TB, file string, flags ...string) *ir.Program {
	t.Helper()
	dir := t.TempDir()
	if err := rt.WriteHeaders(dir); err != nil {
		t.Fatal(err)
	}
	p, err := llvm.Load([]string{"testdata/" + file}, llvm.Options{Flags: flags, IncludeDir: dir, Runtime: rt.Library()})
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

// The fence tables 5.1 to 5.6 of the thesis: rows and columns are relaxed, acquire, release, seq_cst.
var fenceTables = []struct{ test, rows string }{
	{"SB", "XXXX XXXX XX-- XX--"},
	{"LB", "XXXX X-X- XXXX X-X-"},
	{"IRIW", "XXXX X-X- XXXX X-X-"},
	{"IRIWaddr", "---- ---- ---- ----"},
	{"MP", "XXXX XXXX X-X- X-X-"},
	{"MPdep", "XXXX XXXX ---- ----"},
}

func TestFenceTables(t *testing.T) {
	fences := []string{"relaxed", "acquire", "release", "seq_cst"}
	cells, n := 0, 0
	for _, table := range fenceTables {
		for i, row := range strings.Fields(table.rows) {
			for k, want := range row {
				p := loadC(t, "litmus.c", "-D"+table.test, "-DF0="+fences[i], "-DF1="+fences[k])
				for _, por := range []bool{false, true} {
					res := mustExplore(t, p, Options{Model: LMO, MemoryCheck: true, POR: por})
					if got := len(res.Errors) > 0; got != (want == 'X') || res.GaveUp != "" {
						t.Errorf("%s %s %s (por %v): %v, want %c", table.test, fences[i], fences[k], por, got, want)
					} else {
						n++
					}
				}
				cells++
			}
		}
	}
	t.Logf("%d of %d runs, %d cells", n, 2*cells, cells)
	if res := mustExplore(t, loadC(t, "dl.c"), Options{Model: LMO, MemoryCheck: true}); len(res.Errors) > 0 {
		t.Errorf("DL: %v", res.Errors)
	}
}
