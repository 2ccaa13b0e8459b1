package machine

import (
	"testing"

	"ravel/internal/event"
)

// BenchmarkResume resumes a thread that runs for (;;) { r = load x; store y, r+1 }.
func BenchmarkResume(b *testing.B) { benchmark(b, compile(b, resumed, Options{SpinAssume: true})) }

func BenchmarkResumeDeps(b *testing.B) {
	benchmark(b, compile(b, resumed, Options{SpinAssume: true, Deps: true}))
}

const resumed = `
global x 4
global y 4
func main() 1 {
e:
  br loop
loop:
  %r = load.4.rlx @x
  %s = add.32 %r, 1
  store.4.rlx @y, %s
  br loop
}`

// benchmark resumes thread 0 over and over, and drops its states now and then.
func benchmark(b *testing.B, p *Program) {
	a := &Arena{}
	var act Action
	first := p.StartMain(a, &act)
	mark := a.Mark()
	b.ReportAllocs()
	b.ResetTimer()
	for s, i := first, 0; i < b.N; i++ {
		if i&63 == 0 {
			a.Release(mark)
			s = first
		}
		s = p.Resume(a, s, event.Value{Lo: uint64(i)}, &act)
	}
}

// BenchmarkCall resumes a thread deep in calls that are not inlined: every load is followed by a return and a call.
func BenchmarkCall(b *testing.B) { benchmarkCall(b, Options{}) }

func BenchmarkCallDeps(b *testing.B) { benchmarkCall(b, Options{Deps: true}) }

func benchmarkCall(b *testing.B, opts Options) {
	p := compile(b, `
global x 4
func f(%n) 1 {
e:
  condbr %n, more, done
more:
  %m = sub.32 %n, 1
  %r = call @f(%m)
  ret %r
done:
  %v = load.4.rlx @x
  ret %v
}
func main() 1 {
e:
  br loop
loop:
  %r = call @f(3)
  %s = call @f(%r)
  br loop
}`, opts)
	a := &Arena{}
	var act Action
	first := p.StartMain(a, &act)
	mark := a.Mark()
	b.ReportAllocs()
	for s, i := first, 0; b.Loop(); i++ {
		if i&63 == 0 {
			a.Release(mark)
			s = first
		}
		s = p.Resume(a, s, event.Value{Lo: uint64(i & 3)}, &act)
	}
}
