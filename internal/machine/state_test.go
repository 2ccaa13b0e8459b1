package machine

import (
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

const twice = `
global x 4
func id(%v, %n) 1 {
e:
  %z = cmp.32.eq %n, 0
  condbr %z, done, more
done:
  %l = load.4.rlx @x
  %s = add.32 %l, %v
  ret %s
more:
  %m = sub.32 %n, 1
  %r = call @id(%v, %m)
  ret %r
}
func main() 1 {
e:
  %a = load.4.rlx @x
  %b = call @id(%a, 2)
  %c = load.4.rlx @x
  %d = add.32 %b, %c
  %e = mul.32 %d, 10
  ret %e
}`

// A state may be resumed again and again, in any order, and is never changed by it.
func TestStatesAreValues(t *testing.T) {
	p := compile(t, twice, Options{})
	a := &Arena{}
	var act Action
	s0 := p.StartMain(a, &act)
	result := func(s State, vals ...uint64) uint64 {
		t.Helper()
		for _, v := range vals {
			if act.Kind == Exit {
				t.Fatal("exits early")
			}
			s = p.Resume(a, s, event.Value{Lo: v}, &act)
		}
		if act.Kind != Exit {
			t.Fatal("does not exit")
		}
		return act.Val.Lo
	}
	snapshot := func() []uint64 { return slices.Clone(a.words[:a.top]) }
	s1 := p.Resume(a, s0, event.Value{Lo: 1}, &act)
	s2 := p.Resume(a, s1, event.Value{Lo: 2}, &act)
	before := snapshot()
	for range 2 {
		for v := range uint64(5) {
			if got := result(s2, v); got != 10*(3+v) {
				t.Errorf("third value %d: got %d", v, got)
			}
			act.Kind = Load
			if got := result(s1, v, 7); got != 10*(8+v) {
				t.Errorf("second value %d: got %d", v, got)
			}
			act.Kind = Load
			if got := result(s0, v, 7, 1); got != 10*(8+v) {
				t.Errorf("first value %d: got %d", v, got)
			}
			act.Kind = Load
		}
	}
	if !slices.Equal(before, a.words[:len(before)]) {
		t.Error("resuming changed older states")
	}
	mark := a.Mark()
	p.Resume(a, s2, event.Value{}, &act)
	a.Release(mark)
	if a.Mark() != mark {
		t.Error("Release did not release")
	}
}

func TestStack(t *testing.T) {
	p := compile(t, strings.Replace(twice, "ret %r", "store.4.na @x, %r\n  ret %r", 1), Options{}) // else it would be a loop
	a := &Arena{}
	var act Action
	s := p.StartMain(a, &act)
	s = p.Resume(a, s, event.Value{}, &act)
	var got []string
	for _, pos := range p.Stack(a, s) {
		got = append(got, p.src.Positions[pos].Func)
	}
	if want := []string{"id", "id", "id", "main", "main"}; !slices.Equal(got, want) { // the last is _start's call
		t.Errorf("got %v, want %v", got, want)
	}
}

// What is inlined has the same call stack as what is not.
func TestInlinedStack(t *testing.T) {
	text := `
global x 4
func leaf(%p) 1 {
e:
  %v = load.4.rlx %p
  ret %v
}
func mid(%p) 1 {
e:
  %v = call @leaf(%p)
  ret %v
}
func main() 1 {
e:
  %v = call @mid(@x)
  ret %v
}`
	var lines [2][]int
	for i := range lines {
		p := compile(t, text, Options{plain: i == 1})
		a := &Arena{}
		var act Action
		s := p.StartMain(a, &act)
		for _, pos := range p.Stack(a, s) {
			lines[i] = append(lines[i], p.src.Positions[pos].Line)
		}
		if p.src.Positions[act.Pos].Line != 5 {
			t.Errorf("the load is at line %d", p.src.Positions[act.Pos].Line)
		}
	}
	if !slices.Equal(lines[0], lines[1]) {
		t.Errorf("with passes %v, without %v", lines[0], lines[1])
	}
}

func TestStart(t *testing.T) {
	p := compile(t, `
tls t 4 = 3
func f(%a) 1 {
e:
  %p = tlsaddr @t
  %v = load.4.na %p
  %m = alloca 4
  %i = call @__ravel_self()
  %q = call @__ravel_alloc(24, 1)
  %s = add.64 %a, %i
  ret %s
}
func two(%a, %b) 1 {
e:
  ret %a
}
declare __ravel_self() 1
declare __ravel_alloc(%a, %b) 1`, Options{})
	a := &Arena{}
	var act Action
	s := p.Start(a, 7, p.src.Funcs[0].Addr, event.Value{Lo: 100}, &act)
	if want := event.MakeAddr(8, event.TLSSlot+1); act.Addr != want {
		t.Errorf("loads %#x, want %#x", act.Addr, want)
	}
	if v, ok := p.InitialValue(act.Addr, 4); !ok || v.Lo != 3 {
		t.Errorf("initial value %v %v", v, ok)
	}
	s = p.Resume(a, s, event.Value{Lo: 3}, &act)
	if act.Kind != Alloc || act.Addr != event.MakeAddr(8, 1) || act.Val.Lo != 24 || !act.Zeroed || act.Stack {
		t.Errorf("got %+v", act)
	}
	p.Resume(a, s, event.Value{}, &act)
	if act.Kind != Exit || act.Val.Lo != 107 {
		t.Errorf("got %+v", act)
	}
	p.Start(a, 1, p.src.Funcs[1].Addr, event.Value{}, &act)
	if act.Kind != Fail || act.Error.Message != "a thread starts in `two`, which takes 2 arguments" {
		t.Errorf("got %+v", act.Error)
	}
	p.Start(a, 1, 0, event.Value{}, &act)
	if act.Kind != Fail || act.Error.Kind != CallError {
		t.Errorf("got %+v", act)
	}
	p.StartMain(a, &act)
	if act.Kind != Fail {
		t.Errorf("got %+v", act)
	}
}

func TestWeakCAS(t *testing.T) {
	p := compile(t, `
global x 4
func main() 1 {
e:
  %v, %ok = cas.4.sc.rlx.weak @x, 3, 4
  %r = gep %v, %ok, 100, 0
  ret %r
}`, Options{})
	a := &Arena{}
	var act Action
	s := p.StartMain(a, &act)
	want := Action{
		Kind: RMW, RMW: event.CAS, Mode: event.SC, Fail: event.Rlx, Size: 4, Weak: true, Addr: p.src.Globals[0].Addr,
		Val: event.Value{Lo: 4}, Exp: event.Value{Lo: 3}, Pos: act.Pos,
	}
	if act != want {
		t.Errorf("got  %+v\nwant %+v", act, want)
	}
	for _, test := range []struct {
		v    uint64
		fail bool
		want uint64
	}{{3, false, 103}, {2, false, 2}, {3, true, 3}} {
		if test.fail {
			p.ResumeFailed(a, s, event.Value{Lo: test.v}, &act)
		} else {
			p.Resume(a, s, event.Value{Lo: test.v}, &act)
		}
		if act.Val.Lo != test.want {
			t.Errorf("reading %d, failing %v: got %d, want %d", test.v, test.fail, act.Val.Lo, test.want)
		}
	}
}

func TestResumeAllocatesNothing(t *testing.T) {
	p := compile(t, twice, Options{SpinAssume: true})
	a := &Arena{}
	var act Action
	s0 := p.StartMain(a, &act)
	mark := a.Mark()
	if n := testing.AllocsPerRun(1000, func() {
		s := p.Resume(a, s0, event.Value{Lo: 1}, &act)
		s = p.Resume(a, s, event.Value{Lo: 1}, &act)
		p.Resume(a, s, event.Value{Lo: 1}, &act)
		a.Release(mark)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many states fill more than one window of the arena.
func TestArenaGrows(t *testing.T) {
	p := compile(t, `
global x 8
func deep(%n) 1 {
e:
  %z = cmp.64.eq %n, 0
  condbr %z, done, more
done:
  %l = load.8.rlx @x
  ret %l
more:
  %m = sub.64 %n, 1
  %r = call @deep(%m)
  %s = add.64 %r, %n
  ret %s
}
func main() 1 {
e:
  %v = call @deep(9000)
  %w = call @deep(%v)
  ret %w
}`, Options{})
	a := &Arena{}
	var act Action
	s := p.StartMain(a, &act)
	for i := range 20 {
		mark := a.Mark()
		next := p.Resume(a, s, event.Value{Lo: uint64(i - 9000*9001/2)}, &act)
		p.Resume(a, next, event.Value{Lo: 1}, &act)
		if want := uint64(i*(i+1)/2 + 1); act.Kind != Exit || act.Val.Lo != want {
			t.Fatalf("got %+v, want %d", act, want)
		}
		if i%3 == 0 {
			a.Release(mark)
		}
	}
}

func TestObject(t *testing.T) {
	p := compile(t, "global x 8 = 1 2 3\nglobal big 3000000\nfunc main() 1 {\ne:\n  ret 0\n}", Options{})
	x, big := p.src.Globals[0], p.src.Globals[1]
	for _, test := range []struct {
		addr event.Addr
		g    *ir.Global
		off  uint64
	}{{x.Addr, x, 0}, {x.Addr + 5, x, 5}, {big.Addr + 2500000, big, 2500000}, {0, nil, 0}, {p.src.Main.Addr, nil, 0}, {event.MakeAddr(1, 0), nil, 0}, {1 << 60, nil, 0}} {
		if g, off := p.Object(test.addr); g != test.g || off != test.off {
			t.Errorf("%#x: got %v+%d", test.addr, g, off)
		}
	}
	if v, ok := p.InitialValue(x.Addr, 2); !ok || v.Lo != 0x201 {
		t.Errorf("got %v %v", v, ok)
	}
	if v, ok := p.InitialValue(big.Addr+8, 8); !ok || v.Lo != 0 {
		t.Errorf("got %v %v", v, ok)
	}
	if _, ok := p.InitialValue(x.Addr+6, 4); ok {
		t.Error("beyond the end")
	}
}

// The library may wrap the functions of threads, to do something when they end.
func TestThreadStart(t *testing.T) {
	p := compile(t, `
global x 4
declare __ravel_exit(%r) 0
runtime func __ravel_thread_exit() 0 {
e:
  store.4.na @x, 1
  ret
}
runtime func __ravel_thread_start(%f, %a) 1 {
e:
  %r = call %f(%a)
  call @__ravel_thread_exit()
  ret %r
}
func f(%a) 1 {
e:
  condbr %a, exit, return
exit:
  call @__ravel_exit(7)
  unreachable
return:
  ret 8
}`, Options{})
	a := &Arena{}
	var act Action
	for arg, want := range []uint64{8, 7} {
		s := p.Start(a, 1, p.byName("f"), event.Value{Lo: uint64(arg)}, &act)
		if act.Kind != Store || !act.Private {
			t.Errorf("argument %d: got %+v, want the library's store", arg, act)
		}
		p.Resume(a, s, event.Value{}, &act)
		if act.Kind != Exit || act.Val.Lo != want {
			t.Errorf("argument %d: got %+v, want exit %d", arg, act, want)
		}
	}
}

func (p *Program) byName(name string) event.Addr {
	for _, f := range p.src.Funcs {
		if f.Name == name {
			return f.Addr
		}
	}
	return 0
}
