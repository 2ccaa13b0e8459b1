package cat

import (
	"testing"

	"ravel/internal/brute"
)

// benchText is a program that exercises a model: threads that write, fence, read and update.
const benchText = "x=1; F.sc; r=y; s=FADD(z,1); z=r || y=1; F.sc; r=z.acq; s=[x+r]; x=2.rel || z=1.rel; F.acqrel; r=x; y=r; s=y"

func benchExec(b *testing.B, voc *Vocabulary, fill func(*candidate, *Exec)) *Exec {
	b.Helper()
	p := brute.MustParse(benchText)
	e := brute.Enumerate(p, brute.SC)[0]
	x := NewExec(voc, 0)
	fill(&candidate{e.Threads, e.Co}, x)
	return x
}

// Benchmark evaluates the models on one consistent execution with 20 events, initial writes included.
func Benchmark(b *testing.B) {
	for _, name := range []string{"sc", "tso", "rc11", "imm", "armv8", "power", "riscv", "lkmm"} {
		b.Run(name, func(b *testing.B) {
			var m *Machine
			var x *Exec
			if name == "lkmm" {
				m, x = lkmm(b, Options{Given: []string{"co"}}), benchExec(b, linux, linuxFill)
			} else {
				m = compileFor(b, name, hardwareVoc, Options{Given: []string{"co"}}).NewMachine()
				x = benchExec(b, hardwareVoc, hardwareFill(brute.Model(name)))
			}
			if x.N < 19 {
				b.Fatalf("%d events", x.N)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Consistent(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad parses and compiles a model from nothing.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		parsed.Clear()
		lkmm(b, Options{})
	}
}
