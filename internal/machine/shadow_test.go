package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/short"
)

// A tracked is an event with what it depends on.
type tracked struct {
	place                 int
	act                   Action
	text                  string
	addr, data, ctrl, exp []int32
}

func (d *tracked) String() string {
	s := fmt.Sprintf("%d:%s", d.place, d.text)
	for _, x := range []struct {
		name string
		set  []int32
	}{{"addr", d.addr}, {"data", d.data}, {"ctrl", d.ctrl}, {"exp", d.exp}} {
		if len(x.set) > 0 {
			s += " " + x.name + strings.ReplaceAll(fmt.Sprint(x.set), " ", ",")
		}
	}
	return s
}

// track runs main and counts events as the engine does. If again is set, each state is resumed twice, with another
// value in between.
func (e *fake) track(t testing.TB, again bool) (list []*tracked) {
	t.Helper()
	e.mem = map[event.Addr]byte{}
	a := &fakeArena
	a.Release(0)
	var act Action
	s := e.p.StartMain(a, &act)
	for place := 1; place < 10_000; {
		m := func(s event.DepSet) []int32 { return slices.Clone(a.Deps().Members(s)) }
		d := &tracked{place: place, act: act, addr: m(act.AddrDep), data: m(act.DataDep), ctrl: m(act.CtrlDep), exp: m(act.ExpDep)}
		list = append(list, d)
		v, ok := e.do(&act)
		d.text = e.trace[len(e.trace)-1]
		if !ok {
			return list
		}
		switch {
		case act.Kind == RMW && (act.RMW != event.CAS || v == act.Exp):
			place += 2
		case act.Kind != Size:
			place++
		}
		if again {
			e.resumeTwice(t, a, s, v)
		}
		s = e.p.Resume(a, s, v, &act)
	}
	t.Fatal("it does not end")
	return nil
}

// resumeTwice resumes s with v, with another value, and with v again.
func (e *fake) resumeTwice(t testing.TB, a *Arena, s State, v event.Value) {
	t.Helper()
	mark := a.Mark()
	words := slices.Clone(a.words[:mark])
	var first, other, again Action
	e.p.Resume(a, s, v, &first)
	e.p.Resume(a, s, event.Value{Lo: v.Lo + 1}, &other)
	e.p.Resume(a, s, v, &again)
	if first.Error, again.Error = nil, nil; again != first {
		t.Fatalf("resumed again:\n%v\n%v", first, again)
	}
	if !slices.Equal(words, a.words[:mark]) {
		t.Fatal("Resume changed a state")
	}
	a.Release(mark)
}

func join(list []*tracked) string {
	var s []string
	for _, d := range list {
		s = append(s, d.String())
	}
	return strings.Join(s, "; ")
}

func TestDeps(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"data", `
  %a = load.4.rlx @x
  %b = add.32 %a, 1
  store.4.rlx @y, %b
  store.4.rlx @y, 7`, "1:R4 x=1; 2:W4 y=2 data[1]; 3:W4 y=7"},
		{"r*0, r&0, r^r, r-r, r==r", `
  %a = load.4.rlx @x
  %b = mul.32 %a, 0
  store.4.rlx @y, %b
  %c = and.32 %a, 0
  store.4.rlx @y, %c
  %d = xor.32 %a, %a
  store.4.rlx @y, %d
  %e = sub.32 %a, %a
  store.4.rlx @y, %e
  %f = cmp.32.eq %a, %a
  store.4.rlx @y, %f`, "1:R4 x=1; 2:W4 y=0 data[1]; 3:W4 y=0 data[1]; 4:W4 y=0 data[1]; 5:W4 y=0 data[1]; 6:W4 y=1 data[1]"},
		{"address", `
  %a = load.4.rlx @x
  %p = gep @z, %a, 4, 0
  store.4.rlx %p, 7
  %b = load.4.na %p
  store.4.rlx @y, %b
  %q = load.8.rlx @p
  %c = load.4.rlx %q
  %d = add.32 %c, %b
  %e = add.32 %d, %a
  store.4.rlx %p, %e`, "1:R4 x=1; 2:W4 z+4=7 addr[1]; 3:R4 z+4=7 addr[1]; 4:W4 y=7 data[3]; 5:R8 p=4259840; 6:R4 x=1 addr[5]; 7:W4 z+4=9 addr[1] data[1,3,6]"},
		{"select", `
  %a = load.4.rlx @x
  %b = load.4.rlx @y
  %c = load.4.rlx @z
  %d = select %a, %b, %c
  store.4.rlx @y, %d
  %e = select %a, 3, 3
  store.4.rlx @y, %e
  %f = select %a, %b, 5
  store.4.rlx @y, %f`, "1:R4 x=1; 2:R4 y=0; 3:R4 z=0; 4:W4 y=0 data[1,2,3]; 5:W4 y=3 data[1]; 6:W4 y=0 data[1,2]"},
		{"control is cumulative", `
  %a = load.4.rlx @x
  condbr %a, one, two
one:
  store.4.rlx @y, 1
  br two
two:
  %b = load.4.rlx @z
  store.4.rlx @y, 2
  %c = cmp.32.ult %b, %a
  condbr %c, three, three
three:
  store.4.rlx @y, %b
  %d = load.4.rlx @x
  switch.32 %d, 1:four, five
four:
  fence.sc
  br five
five:
  fence.acq`, "1:R4 x=1; 2:W4 y=1 ctrl[1]; 3:R4 z=0 ctrl[1]; 4:W4 y=2 ctrl[1]; 5:W4 y=0 data[3] ctrl[1,3]; 6:R4 x=1 ctrl[1,3]; 7:F sc ctrl[1,3,6]; 8:F acq ctrl[1,3,6]; 9:exit 0 ctrl[1,3,6]"},
		{"an empty branch", `
  %a = load.4.rlx @x
  %c = cmp.32.eq %a, 4
  condbr %c, one, two
one:
  br three
two:
  br three
three:
  store.4.rlx @y, 2`, "1:R4 x=1; 2:W4 y=2 ctrl[1]; 3:exit 0 ctrl[1]"},
		{"phi", `
  %a = load.4.rlx @x
  %b = load.4.rlx @y
  %c = load.4.rlx @z
  condbr %c, one, two
one:
  %v = copy %a
  br three
two:
  %v = copy %b
  br three
three:
  store.4.rlx @y, %v
  condbr %a, four, five
four:
  %v = copy 1
  br five
five:
  store.4.rlx @y, %v`, "1:R4 x=1; 2:R4 y=0; 3:R4 z=0; 4:W4 y=0 data[2] ctrl[3]; 5:W4 y=1 ctrl[1,3]; 6:exit 0 ctrl[1,3]"},
		{"a loop", `
  %s = copy 0
  %i = copy 0
  br head
head:
  %c = cmp.32.ult %i, 2
  condbr %c, body, done
body:
  %v = load.4.rlx @x
  %s = add.32 %s, %v
  %i = add.32 %i, 1
  br head
done:
  store.4.rlx @y, %s`, "1:R4 x=1; 2:R4 x=1; 3:W4 y=2 data[1,2]"},
		{"inlined call", `
  %a = load.4.rlx @x
  %b = call @small(%a, 3)
  store.4.rlx @y, %b
  %c = call @small(2, 3)
  store.4.rlx @y, %c`, "1:R4 x=1; 2:R4 z=0 ctrl[1]; 3:W4 y=4 data[1,2] ctrl[1]; 4:R4 z=0 ctrl[1]; 5:W4 y=5 data[4] ctrl[1]; 6:exit 0 ctrl[1]"},
		{"call", `
  %a = load.4.rlx @x
  %b, %c = call @rec(%a, 1, 9)
  store.4.rlx @y, %b
  store.4.rlx @y, %c
  store.4.rlx @y, 1`, "1:R4 x=1; 2:R4 z=0; 3:W4 y=1 data[1,2] ctrl[2]; 4:W4 y=9 ctrl[2]; 5:W4 y=1 ctrl[2]; 6:exit 0 ctrl[2]"},
		{"indirect call", `
  store.8.rlx @p, @rec
  %f = load.8.rlx @p
  %b, %c = call %f(5, 1, 9, 8)
  store.4.rlx @y, %b
  ret %b`, "1:W8 p=5111808; 2:R8 p=5111808; 3:R4 z=0 ctrl[2]; 4:W4 y=5 data[3] ctrl[2,3]; 5:exit 5 data[3] ctrl[2,3]"},
		{"promoted slots", `
  %s = alloca 8
  %t = alloca 8
  %a = load.4.rlx @x
  %b = load.4.rlx @z
  store.4.na %s, %a
  %s4 = gep %s, 1, 4, 0
  store.4.na %s4, %b
  memcpy %t, %s, 8
  %c = load.4.na %t
  store.4.rlx @y, %c
  %d = load.8.na %t
  store.8.rlx @p, %d
  %t2 = gep %t, 5, 1, 0
  %e = load.1.na %t2
  store.1.rlx @y, %e`, "1:R4 x=1; 2:R4 z=0; 3:W4 y=1 data[1]; 4:W8 p=1 data[1,2]; 5:W1 y=0 data[2]"},
		{"stack in memory", `
  %s = alloca 4
  store.8.rlx @p, %s
  %a = load.4.rlx @x
  store.4.na %s, %a
  %b = load.4.na %s
  store.4.rlx @y, %b`, "1:alloc 1.1 4; 2:W8 p=140098207744; 3:R4 x=1; 4:W4 1.1=1 data[3]; 5:R4 1.1=1; 6:W4 y=1 data[5]"},
		{"an array that depends on nothing", arrayOf("7", "1"), "1:R4 x=1; 2:W4 y=1 data[1]; 3:W4 y=7"},
		{"an array with what was read", arrayOf("%v", "1"), "1:alloc 1.1 8; 2:R4 x=1; 3:W4 1.1=1 data[2]; 4:W4 1.1+4=1 data[2]; 5:W4 y=1 data[2]; 6:R4 1.1+4=1; 7:W4 y=1 data[6]"},
		{"an array with an offset that depends", arrayOf("7", "%v"), "1:alloc 1.1 8; 2:R4 x=1; 3:W4 1.1=7; 4:W4 1.1+4=7; 5:W4 y=1 data[2]; 6:R4 1.1+4=7 addr[2]; 7:W4 y=7 data[6]"},
		{"memcpy", `
  %a = load.8.rlx @p
  memcpy @z, %a, 4
  memcpy @q, @p, 16
  %n = load.8.rlx @n
  memset @q, %n, %n
  store.4.rlx @y, 1`, "1:R8 p=4259840; 2:R4 x=1 addr[1]; 3:W4 z=1 data[2]; 4:R8 p=4259840; 5:W8 q=4259840 data[4]; 6:R8 p+8=0; 7:W8 q+8=0 data[6]; " +
			"8:R8 n=8; 9:W8 q=578721382704613384 data[8] ctrl[8]; 10:W4 y=1 ctrl[8]; 11:exit 0 ctrl[8]"},
		{"pieces", `
  %a = load.4.na @z+1
  store.4.na @q+3, %a
  store.4.rlx @y, %a
  memcpy @q+1, @z, 3`, "1:R1 z+1=0; 2:R2 z+2=0; 3:R1 z+4=0; 4:W1 q+3=0 data[1,2,3]; 5:W2 q+4=0 data[1,2,3]; 6:W1 q+6=0 data[1,2,3]; 7:W4 y=0 data[1,2,3]; " +
			"8:R1 z=0; 9:W1 q+1=0 data[8]; 10:R1 z+1=0; 11:W1 q+2=0 data[10]; 12:R1 z+2=0; 13:W1 q+3=0 data[12]"},
		{"rmw", `
  %a = load.4.rlx @x
  %b = rmw.4.rlx.add @y, %a
  %c = rmw.4.rlx.xchg @y, %a
  %d = load.4.rlx @x
  store.4.rlx @z, %b
  store.4.rlx @z, %c
  store.4.rlx @z, %d
  %p = gep @z, %b, 4, 0
  %e = rmw.4.sc.or %p, %c`, "1:R4 x=1; 2:U4 y=0→1 data[1,2]; 4:U4 y=1→1 data[1]; 6:R4 x=1; 7:W4 z=0 data[2]; 8:W4 z=1 data[4]; 9:W4 z=1 data[6]; 10:U4 z=1→1 addr[2] data[4,10]"},
		{"cas", `
  %e = load.4.rlx @z
  %n = load.4.rlx @x
  %o, %k = cas.4.sc.rlx @y, %e, %n
  store.4.rlx @z, %o
  %q, %l = cas.4.sc.rlx @y, %k, 5
  store.4.rlx @z, %l
  %r, %m = cas.4.sc.rlx @y, 9, 5
  store.4.rlx @z, 1`, "1:R4 z=0; 2:R4 x=1; 3:U4 y=0→1 data[2] exp[1]; 5:W4 z=0 data[3] ctrl[1,3]; 6:U4 y=1→5 ctrl[1,3] exp[3]; 8:W4 z=1 data[6] ctrl[1,3,6]; " +
			"9:U4 y=5 ctrl[1,3,6]; 10:W4 z=1 ctrl[1,3,6,9]; 11:exit 0 ctrl[1,3,6,9]"},
		{"16 bytes", `
  %a = load.4.rlx @x
  %v! = load.16.sc @q
  %w! = zext.32.128 %a
  %s! = add.128 %v!, %w!
  store.16.sc @q, %s!
  %o!, %k = cas.16.sc.sc @q, %s!, %w!
  store.8.rlx @n, %o.hi
  %c! = copy.128 %w!
  store.16.na @q, %c!
  %h = trunc.128.64 %v!
  store.8.rlx @n, %h`, "1:R4 x=1; 2:R16 q=0; 3:W16 q=1 data[1,2]; 4:U16 q=1→1 data[1] exp[1,2]; 6:W8 n=0 data[4] ctrl[1,2,4]; " +
			"7:W8 q=1 data[1] ctrl[1,2,4]; 8:W8 q+8=0 data[1] ctrl[1,2,4]; 9:W8 n=0 data[2] ctrl[1,2,4]; 10:exit 0 ctrl[1,2,4]"},
		{"other actions", `
  %a = load.4.rlx @x
  %f = load.8.rlx @n
  %t = call @__ravel_create(@main, %a)
  %j = call @__ravel_join(%a)
  %m = call @__ravel_alloc(%f, %a)
  store.8.na %m, %j
  %b = load.4.rlx @x
  %c = call @__ravel_choose(%b)
  store.4.rlx @y, %c
  call @__ravel_free(%m)
  %d = load.4.rlx @x
  call @__ravel_assume(%d)
  store.4.rlx @y, %t
  ret %a`, "1:R4 x=1; 2:R8 n=8; 3:create 1 data[1]; 4:join 1 data[1]; 5:alloc 1.1 8 data[1,2]; 6:W8 1.1=99; 7:R4 x=1; 8:choice 0/1 data[7]; 9:W4 y=0; 10:free 1.1; " +
			"11:R4 x=1; 12:W4 y=1 ctrl[11]; 13:exit 1 data[1] ctrl[11]"},
		{"a result that is an operand", `
  %a = load.8.rlx @p
  %a = load.4.rlx %a
  %a = add.32 %a, %a
  %a = rmw.4.rlx.add @x, %a
  %a, %k = cas.4.rlx.rlx @x, %a, %a
  store.4.rlx @y, %a
  %b = load.8.na @p
  %b = load.4.na %b
  store.4.rlx @y, %b
  %b = copy 5
  store.4.rlx @y, %b`, "1:R8 p=4259840; 2:R4 x=1 addr[1]; 3:U4 x=1→3 data[2,3]; 5:U4 x=3 data[3] exp[3]; 6:W4 y=3 data[5] ctrl[3,5]; " +
			"7:R8 p=4259840 ctrl[3,5]; 8:R4 x=3 addr[7] ctrl[3,5]; 9:W4 y=3 data[8] ctrl[3,5]; 10:W4 y=5 ctrl[3,5]; 11:exit 0 ctrl[3,5]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := `
global x 4 = 1
global y 4
global z 32
global p 16 = 0 0 65
global q 16
global n 8 = 8
declare __ravel_create(%a, %b) 1
declare __ravel_join(%a) 1
declare __ravel_alloc(%a, %b) 1
declare __ravel_choose(%a) 1
declare __ravel_free(%a) 0
declare __ravel_assume(%a) 0
func small(%a, %b) 1 {
e:
  %c = cmp.32.eq %a, 7
  condbr %c, yes, no
yes:
  ret 1
no:
  %l = load.4.rlx @z
  %s = add.32 %a, %b
  %r = add.32 %s, %l
  ret %r
}
func rec(%a, %n, %c) 2 {
e:
  condbr %n, more, last
more:
  %m = sub.32 %n, 1
  %v, %w = call @rec(%a, %m, %c)
  ret %v, %w
last:
  %l = load.4.rlx @z
  %o = add.32 %l, %a
  condbr %l, more, out
out:
  ret %o, %c
}
func main() 1 {
e:
` + strings.Trim(test.text, "\n")
			if !strings.Contains(test.text, " ret ") {
				text += "\n  ret 0"
			}
			text += "\n}"
			p := parse(t, text)
			want := test.want
			if !strings.Contains(want, "exit") {
				want += fmt.Sprintf("; %s", "exit 0")
			}
			c, err := Compile(p, Options{Deps: true, SpinAssume: true})
			if err != nil {
				t.Fatal(err)
			}
			got := join((&fake{p: c}).track(t, true))
			if !strings.Contains(test.want, "exit") {
				i := strings.LastIndex(got, "; ")
				_, last, _ := strings.Cut(got[i+2:], ":")
				got = got[:i+2] + last
			}
			if got != want {
				t.Errorf("%s\ngot  %s\nwant %s", test.text, got, want)
			}
		})
	}
}

// A spinning loop is found though the dependencies change in each round.
func TestDepsSpin(t *testing.T) {
	p := compile(t, `
global x 4
func main() 1 {
e:
  %v = copy 0
  br l
l:
  %v = load.4.acq @x
  %w = add.32 %v, %v
  condbr %w, out, l
out:
  ret %v
}`, Options{Deps: true, SpinAssume: true})
	if got, want := join((&fake{p: p}).track(t, true)), "1:R4 x=0; 2:block spin 1 ctrl[1]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An access is one of a global, with what it depends on: sets of the reads of globals, by their number.
type access struct {
	text string
	sets [3]map[int]bool // addr, data, ctrl
}

// throughStack replaces dependencies on reads of objects of the thread by those of what was stored there.
func throughStack(list []*tracked) (out []access) {
	means := map[int32]map[int]bool{} // by place of a read
	mem := map[event.Addr]map[int]bool{}
	expand := func(places ...int32) map[int]bool {
		s := map[int]bool{}
		for _, p := range places {
			maps.Copy(s, means[p])
		}
		return s
	}
	for _, d := range list {
		switch {
		case d.act.Kind != Load && d.act.Kind != Store && d.act.Kind != RMW:
		case d.act.Addr.Owner() == 0:
			means[int32(d.place)] = map[int]bool{len(out): true}
			out = append(out, access{d.text, [3]map[int]bool{expand(d.addr...), expand(d.data...), expand(d.ctrl...)}})
		case d.act.Kind == Store:
			for i := range event.Addr(d.act.Size) {
				mem[d.act.Addr+i] = expand(slices.Concat(d.data, d.addr)...)
			}
		default:
			s := expand(d.addr...)
			for i := range event.Addr(d.act.Size) {
				maps.Copy(s, mem[d.act.Addr+i])
			}
			means[int32(d.place)] = s
		}
	}
	return out
}

// TestDepsRandom compares the dependencies of programs as they are with what they are after the passes. There may be fewer
// then: where the condition of a select turns out to be constant, and where a copy joins what the cells of
// a promoted object keep apart.
func TestDepsRandom(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 50
	}
	equal, all := 0, 0
	for seed := range uint64(n) {
		text := randomProgram(seed)
		var traces [2][]access
		for i := range traces {
			e := &fake{p: compile(t, text, Options{plain: i == 1, zero: true, Deps: true})}
			traces[i] = throughStack(e.track(t, seed < 40))
		}
		if len(traces[0]) != len(traces[1]) {
			t.Fatalf("seed %d\n%s\n%d accesses with passes, %d without", seed, text, len(traces[0]), len(traces[1]))
		}
		for i, x := range traces[0] {
			y := traces[1][i]
			for k := range x.sets {
				all++
				if maps.Equal(x.sets[k], y.sets[k]) {
					equal++
				}
				for read := range x.sets[k] {
					if !y.sets[k][read] {
						t.Fatalf("seed %d\n%s\naccess %d\nwith passes:    %v\nwithout passes: %v", seed, text, i, x, y)
					}
				}
			}
		}
	}
	if equal < all*98/100 {
		t.Errorf("only %d of %d sets are equal", equal, all)
	}
}

// What the thread does does not depend on Deps.
func TestDepsSame(t *testing.T) {
	for seed := range uint64(short.Count(100, 20)) {
		text := randomProgram(seed)
		var traces [2]string
		for i := range traces {
			e := &fake{p: compile(t, text, Options{zero: true, Deps: i == 1, SpinAssume: true})}
			traces[i] = heapOnly(e.run(t)) // other objects may be promoted
		}
		if traces[0] != traces[1] {
			t.Fatalf("seed %d\n%s\n%s\nwith dependencies: %s", seed, text, traces[0], traces[1])
		}
	}
}

// arrayOf is code that fills an array of two elements with a value, and reads the one that is so many before its end. %v is what it has read from x, which is 1.
func arrayOf(value, back string) string {
	return `
  %t = alloca 8
  %i = copy 0
  %v = load.4.rlx @x
  %s = alloca 4
  store.4.na %s, ` + value + `
  br head
head:
  %c = cmp.32.ult %i, 2
  condbr %c, body, done
body:
  %w = load.4.na %s
  %p = gep %t, %i, 4, 0
  store.4.na %p, %w
  %i = add.32 %i, 1
  br head
done:
  store.4.rlx @y, %v
  %j = sub.32 %i, ` + back + `
  %q = gep %t, %j, 4, 0
  %v = load.4.na %q
  store.4.rlx @y, %v`
}
