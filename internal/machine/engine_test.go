package machine

import (
	"fmt"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A fake is an engine with one thread and one memory, which writes down what the thread does.
type fake struct {
	p       *Program
	mem     map[event.Addr]byte
	trace   []string
	choices []uint64
	loads   map[event.Addr][]uint64 // what to read first
	undef   map[event.Addr]byte     // by byte: the bits that are undefined; nil: none are, ever
	endless bool                    // a run need not end
}

func (e *fake) read(a event.Addr, size uint8) (v event.Value) {
	if q := e.loads[a]; len(q) > 0 {
		e.loads[a] = q[1:]
		return event.Value{Lo: q[0]}
	}
	for i := range event.Addr(size) {
		b, ok := e.mem[a+i]
		if !ok {
			x, _ := e.p.InitialValue(a+i, 1)
			b = byte(x.Lo)
		}
		if i < 8 {
			v.Lo |= uint64(b) << (8 * i)
			if u := e.undef[a+i]; size <= 8 {
				if !ok && e.undef != nil && a.Owner() > 0 {
					u = 0xff
				}
				v.Hi |= uint64(u) << (8 * i)
			}
		} else {
			v.Hi |= uint64(b) << (8 * (i - 8))
		}
	}
	return v
}

func (e *fake) write(a event.Addr, size uint8, v event.Value) {
	for i := range event.Addr(size) {
		b := byte(v.Lo >> (8 * i))
		if i >= 8 {
			b = byte(v.Hi >> (8 * (i - 8)))
		}
		e.mem[a+i] = b
		if e.undef != nil {
			e.undef[a+i] = 0
			if size <= 8 {
				e.undef[a+i] = byte(v.Hi >> (8 * i))
			}
		}
	}
}

// name prints an address as the program would.
func (e *fake) name(a event.Addr) string {
	if g, off := e.p.Object(a); g != nil {
		if off == 0 {
			return g.Name
		}
		return fmt.Sprintf("%s+%d", g.Name, off)
	}
	s := fmt.Sprintf("%d.%d", a.Owner(), a.Slot())
	if a.Offset() != 0 {
		s += fmt.Sprintf("+%d", a.Offset())
	}
	return s
}

// do performs an action and returns what it yields, and false at the end.
func (e *fake) do(act *Action) (v event.Value, ok bool) {
	say := func(format string, args ...any) { e.trace = append(e.trace, fmt.Sprintf(format, args...)) }
	switch act.Kind {
	case Load:
		v = e.read(act.Addr, act.Size)
		say("R%d %s=%v", act.Size, e.name(act.Addr), v)
	case Store:
		e.write(act.Addr, act.Size, act.Val)
		say("W%d %s=%v", act.Size, e.name(act.Addr), act.Val)
	case RMW:
		v = e.read(act.Addr, act.Size)
		if act.RMW != event.CAS || v == act.Exp {
			w := act.RMW.Apply(v, act.Val, act.Size)
			e.write(act.Addr, act.Size, w)
			say("U%d %s=%v→%v", act.Size, e.name(act.Addr), v, w)
		} else {
			say("U%d %s=%v", act.Size, e.name(act.Addr), v)
		}
	case Fence:
		say("F %v", act.Mode)
	case Create:
		say("create %d", act.Val.Lo)
		v.Lo = 1
	case Join:
		say("join %d", act.Val.Lo)
		v.Lo = 99
	case Alloc:
		say("alloc %s %d", e.name(act.Addr), act.Val.Lo)
		v.Lo = uint64(act.Addr)
	case Free:
		say("free %s", e.name(act.Addr))
	case Choice:
		if len(e.choices) > 0 {
			v.Lo, e.choices = e.choices[0], e.choices[1:]
		}
		say("choice %d/%d", v.Lo, act.N)
	case Exit:
		say("exit %v", act.Val)
		return v, false
	case Block:
		say("block %s %d", [...]string{"assume", "spin", "lock", "unroll", "ended"}[act.Block], act.N)
		return v, false
	case Fail:
		say("%s: %s", act.Error.Kind, act.Error.Message)
		return v, false
	}
	return v, true
}

var fakeArena Arena // one for all, as a new one is large

// run runs main and returns what it did.
func (e *fake) run(t testing.TB) string {
	t.Helper()
	e.mem = map[event.Addr]byte{}
	a := &fakeArena
	a.Release(0)
	var act Action
	s := e.p.StartMain(a, &act)
	for range 10_000 {
		v, ok := e.do(&act)
		if !ok {
			return strings.Join(e.trace, "; ")
		}
		s = e.p.Resume(a, s, v, &act)
	}
	if e.endless {
		return strings.Join(e.trace, "; ")
	}
	t.Fatalf("it does not end: %s", strings.Join(e.trace[:50], "; "))
	return ""
}

func compile(t testing.TB, text string, opts Options) *Program {
	t.Helper()
	p, err := Compile(parse(t, text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trace runs a program, compiled with and without passes, and returns what it did with them.
// Without them it must do the same, but for accesses to the stack.
func trace(t testing.TB, text string, opts Options, set func(*fake)) string {
	t.Helper()
	var traces [2]string
	for i := range traces {
		o := opts
		o.plain = i == 1
		o.zero = true
		e := &fake{p: compile(t, text, o)}
		if set != nil {
			set(e)
		}
		traces[i] = e.run(t)
	}
	if got, want := heapOnly(traces[0]), heapOnly(traces[1]); got != want {
		t.Errorf("with passes:    %s\nwithout passes: %s", got, want)
	}
	return traces[0]
}

// heapOnly drops what has to do with objects of threads, which may be registers.
func heapOnly(trace string) string {
	var keep []string
	for _, s := range strings.Split(trace, "; ") {
		w := strings.Fields(s)
		if len(w) > 1 && strings.Contains(w[1], ".") && !strings.HasSuffix(w[0], ":") {
			continue
		}
		keep = append(keep, s)
	}
	return strings.Join(keep, "; ")
}

func TestRun(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"accesses", `
global x 4 = 5
func main() 1 {
e:
  %v = load.4.acq @x
  %w = add.32 %v, -1
  store.4.rel @x, %w
  %o = rmw.4.sc.add @x, 3
  %p, %ok = cas.4.sc.rlx @x, 7, 9
  fence.sc
  %s = add.32 %ok, 10
  ret %s
}`, "R4 x=5; W4 x=4; U4 x=4→7; U4 x=7→9; F sc; exit 11"},
		{"call", `
global x 4
func f(%a, %b) 1 {
e:
  %v = load.4.na @x
  %c = sub.32 %a, %b
  %d = add.32 %c, %v
  ret %d
}
func main() 1 {
e:
  store.4.na @x, 100
  %a = call @f(7, 3)
  %b = call @f(%a, 1)
  %f = copy @f
  %c = call %f(%a, %b)
  ret %c
}`, "W4 x=100; R4 x=100; R4 x=100; R4 x=100; exit 1"},
		{"recursion", `
global x 4
func fac(%n) 1 {
e:
  %z = cmp.32.eq %n, 0
  condbr %z, one, more
one:
  %l = load.4.na @x
  ret 1
more:
  %m = sub.32 %n, 1
  %r = call @fac(%m)
  store.4.na @x, %r
  %p = mul.32 %r, %n
  ret %p
}
func main() 1 {
e:
  %r = call @fac(4)
  ret %r
}`, "R4 x=0; W4 x=1; W4 x=1; W4 x=2; W4 x=6; exit 24"},
		{"recursion without end", `
func f() 1 {
e:
  %n = call @f()
  %m = add.32 %n, 1
  ret %m
}
func main() 1 {
e:
  %n = call @f()
  ret %n
}`, "unsupported: calls are nested more than 1048576 deep: a recursion that does not end?"},
		{"recursion at the end", `
global x 4
func half(%n, %k) 1 {
e:
  %c = cmp.32.ult %n, 2
  condbr %c, out, more
out:
  ret %k
more:
  %a = sub.32 %n, 2
  %b = add.32 %k, 1
  store.4.na @x, %b
  %r = call @half(%a, %b)
  ret %r
}
func swap(%n, %a, %b) 1 {
e:
  condbr %n, more, out
out:
  ret %a
more:
  %m = sub.32 %n, 1
  %r = call @swap(%m, %b, %a)
  ret %r
}
func odd(%n) 1 {
e:
  condbr %n, more, out
out:
  %v = copy 0
  br end
more:
  %m = sub.32 %n, 1
  %s = load.4.na @x
  %r = call @odd(%m)
  %z = zext.1.8 %r
  %v = copy %z
  br end
end:
  %t = trunc.8.1 %v
  ret %t
}
func main() 1 {
e:
  %h = call @half(5, 0)
  %s = call @swap(3, 7, 9)
  %p = mul.32 %h, 100
  %o = call @odd(2)
  %q = add.32 %p, %s
  %u = add.32 %q, %o
  ret %u
}`, "W4 x=1; W4 x=2; R4 x=2; R4 x=2; exit 209"},
		{"null", "func main() 1 {\ne:\n  %v = load.4.na 0\n  ret 0\n}", "memory: null pointer dereference: read of 4 bytes at 0x0"},
		{"function", "func main() 1 {\ne:\n  store.4.na @main, 1\n  ret 0\n}", "memory: write of 4 bytes of the code of function `main`"},
		{"bounds", "global x 8\nfunc main() 1 {\ne:\n  store.4.na @x+6, 1\n  ret 0\n}", "memory: write of 4 bytes at offset 6 of `x`, which has 8 bytes"},
		{"const", "const x \"abc\"\nfunc main() 1 {\ne:\n  store.1.na @x, 1\n  ret 0\n}", "memory: write to `x`, which is constant"},
		{"misaligned", "global x 8\nfunc main() 1 {\ne:\n  store.4.rlx @x+2, 1\n  ret 0\n}", "memory: misaligned atomic write of 4 bytes at 0x410002"},
		{"wild", "func main() 1 {\ne:\n  store.4.na 0xffffffffffffffff, 1\n  ret 0\n}", "memory: write of 4 bytes at 0xffffffffffffffff, where no object is"},
		{"bad call", "func main() 1 {\ne:\n  %f = copy 12345678\n  call %f()\n  ret 0\n}", "call: call of address 0xbc614e, where no function is"},
		{"null call", "func main() 1 {\ne:\n  call 0()\n  ret 0\n}", "call: call of a null function pointer"},
		{
			"few arguments", "func f(%a) 0 {\ne:\n  ret\n}\nfunc main() 1 {\ne:\n  call @f()\n  ret 0\n}",
			"call: call of `f` with 0 arguments and 0 results, where it has 1 and 0",
		},
		{"undefined", "declare foo() 0\nfunc main() 1 {\ne:\n  call @foo()\n  ret 0\n}", "unsupported: call of `foo`, which is not defined in the program nor in ravel's library"},
		{"unreachable", "func main() 1 {\ne:\n  unreachable\n}", "unreachable: code was reached that the compiler took for unreachable"},
		{"unsupported", "func main() 1 {\ne:\n  unsupported inline assembly\n}", "unsupported: inline assembly"},
		{"division", "global x 4\nfunc main() 1 {\ne:\n  %v = load.4.na @x\n  %d = udiv.32 1, %v\n  ret 0\n}", "R4 x=0; arithmetic: division by zero"},
		{"endless", "func main() 1 {\ne:\n  br l\nl:\n  br l\n}", "block spin 0"},
		{
			"misaligned plain", "global x 16 = 1 2 3 4 5 6 7 8\nfunc main() 1 {\ne:\n  %v = load.4.na @x+1\n  store.4.na @x+9, %v\n  ret %v\n}",
			"R1 x+1=2; R2 x+2=1027; R1 x+4=5; W1 x+9=2; W2 x+10=1027; W1 x+12=5; exit 84148994",
		},
		{"16 bytes", `
global x 32 = 1 2 3 4 5 6 7 8 9
func main() 1 {
e:
  %v! = load.16.na @x
  store.16.na @x+16, %v!
  %w! = load.16.sc @x+16
  %o!, %ok = cas.16.sc.sc @x, %v!, %v!
  %p! = rmw.16.sc.add @x, %v!
  ret %p.hi
}`, "R8 x=578437695752307201; R8 x+8=9; W8 x+16=578437695752307201; W8 x+24=9; R16 x+16=0x90807060504030201; " +
			"U16 x=0x90807060504030201→0x90807060504030201; U16 x=0x90807060504030201→0x12100e0c0a08060402; exit 9"},
		{"tls", "tls t 4 = 7\nfunc main() 1 {\ne:\n  %p = tlsaddr @t\n  %v = load.4.na %p\n  store.4.na %p, 8\n  ret %v\n}", "R4 t=7; W4 t=8; exit 7"},
		{"switch", `
global x 4 = 2
func main() 1 {
e:
  %v = load.4.na @x
  switch.32 %v, 1:a, 2:b, c
a:
  ret 10
b:
  ret 20
c:
  ret 30
}`, "R4 x=2; exit 20"},
		{"stack", `
global p 8
func f() 1 {
e:
  %a = alloca 4
  %b = alloca 8
  store.8.na @p, %a
  store.8.na %b, %a
  store.4.na %a, 3
  %q = load.8.na %b
  %v = load.4.na %q
  ret %v
}
func main() 1 {
e:
  %c = alloca 4
  store.8.na @p, %c
  %v = call @f()
  ret %v
}`, "alloc 1.1 4; W8 p=140098207744; alloc 1.2 4; W8 p=140098273280; W4 1.2=3; R4 1.2=3; free 1.2; exit 3"},
		{"argv", `
func main(%c, %v) 1 {
e:
  %p = load.8.na %v
  %b = load.1.na %p
  %q = gep %v, 1, 8, 0
  %z = load.8.na %q
  %s = add.32 %b, %c
  ret %s
}`, "R8 argv=4325376; R1 argv[0]=112; R8 argv+8=0; exit 113"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := trace(t, test.text, Options{}, nil); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}

func TestConstructors(t *testing.T) {
	p := parse(t, `
global x 4
func c1() 0 {
e:
  store.4.na @x, 1
  ret
}
func c2() 0 {
e:
  store.4.na @x, 2
  ret
}
func main() 1 {
e:
  ret 5
}`)
	p.Ctors = []*ir.Func{p.Funcs[1], p.Funcs[0]}
	c, err := Compile(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := (&fake{p: c}).run(t); got != "W4 x=2; W4 x=1; exit 5" {
		t.Error(got)
	}
}
