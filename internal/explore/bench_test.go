package explore

import (
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// BenchmarkExplore reports executions per second of programs that are all exploration.
func BenchmarkExplore(b *testing.B) {
	rep := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+" || ", n), " || ") }
	for _, bench := range []struct{ name, prog, model string }{
		{"ainc8", rep(8, "FADD(x,1)"), "rc11"},
		{"writers7", rep(7, "x=1"), "rc11"},
		{"readers12", "x=1 || " + rep(11, "r=x"), "rc11"},
		{"casw5", "CAS(x,0,1); x=3.rel || CAS(x,0,1); x=4.rel || CAS(x,0,1); x=5.rel || CAS(x,0,1); x=6.rel || CAS(x,0,1); x=7.rel", "rc11"},
		{"sbsc", "x=1.sc; r=y.sc; r=z.sc || y=1.sc; r=z.sc; r=x.sc || z=1.sc; r=x.sc; r=y.sc || x=2.sc; r=y.sc; r=z.sc", "rc11"},
		{"sbfence", "x=1; F.sc; r=y; r=z || y=1; F.sc; r=z; r=x || z=1; F.sc; r=x; r=y || x=2; F.sc; r=y; r=z", "rc11"},
		{"sbsc/sc", "x=1.sc; r=y.sc; r=z.sc || y=1.sc; r=z.sc; r=x.sc || z=1.sc; r=x.sc; r=y.sc || x=2.sc; r=y.sc; r=z.sc", "sc"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := brute.Lower(brute.MustParse(bench.prog))
			m, err := model.Get(bench.model, model.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				res, err := Explore(b.Context(), p, Options{Model: m, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}})
				if err != nil {
					b.Fatal(err)
				}
				n += res.Complete
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}
