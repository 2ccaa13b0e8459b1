package machine

import (
	"strings"
	"testing"

	"ravel/internal/event"
)

func TestSpin(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"do", `
global x 4
func main() 1 {
e:
  br l
l:
  %v = load.4.acq @x
  %c = cmp.32.eq %v, 0
  condbr %c, l, out
out:
  ret %v
}`, "R4 x=0; block spin 1"},
		{"while, unoptimised", `
global x 4
func main() 1 {
e:
  %i = alloca 4
  store.4.na %i, 7
  br h
h:
  %v = load.4.acq @x
  %t = alloca 4
  store.4.na %t, %v
  %w = load.4.na %t
  %c = cmp.32.ne %w, 0
  %n = xor.1 %c, 1
  condbr %n, body, out
body:
  fence.sc
  br h
out:
  %r = load.4.na %i
  ret %r
}`, "R4 x=0; F sc; block spin 2"},
		{"waits for another value", `
global x 4
func main() 1 {
e:
  %last = copy 5
  br l
l:
  %v = load.4.acq @x
  %c = cmp.32.eq %v, %last
  %last = copy %v
  condbr %c, out, l
out:
  ret %v
}`, "R4 x=0; R4 x=0; exit 0"},
		{"peeled: the last value is dead where the next is loaded", `
global x 4 = 2
global y 4 = 1
func main() 1 {
e:
  %a = load.4.acq @y
  br h
h:
  %c = cmp.32.ne %a, 0
  condbr %c, body, out
body:
  %t = load.4.acq @x
  %a = copy %t
  br h
out:
  ret 0
}`, "R4 y=1; R4 x=2; block spin 1"},
		{"counted", `
global x 4
func main() 1 {
e:
  %i = copy 0
  br l
l:
  %v = load.4.acq @x
  %t = add.32 %i, 1
  %i = copy %t
  %c = cmp.32.eq %i, 3
  condbr %c, out, l
out:
  ret %i
}`, "R4 x=0; R4 x=0; R4 x=0; exit 3"},
		{"cas lock", `
global x 4 = 1
func main() 1 {
e:
  br l
l:
  %v, %ok = cas.4.acq.rlx @x, 0, 1
  condbr %ok, out, l
out:
  ret 0
}`, "U4 x=1; block spin 1"},
		{"xchg lock", `
global x 4 = 1
func main() 1 {
e:
  br l
l:
  %v = rmw.4.acq.xchg @x, 1
  condbr %v, l, out
out:
  ret 0
}`, "U4 x=1→1; block spin 1"},
		{"ticket", `
global x 4
global n 4 = 1
func main() 1 {
e:
  %t = rmw.4.rlx.add @n, 1
  br l
l:
  %v = load.4.acq @x
  %c = cmp.32.eq %v, %t
  condbr %c, out, l
out:
  ret 0
}`, "U4 n=1→2; R4 x=0; block spin 1"},
		{"store in the loop", `
global x 4
func main() 1 {
e:
  %n = copy 0
  br l
l:
  %v = load.4.acq @x
  %w = add.32 %v, 1
  store.4.rel @x, %w
  %c = cmp.32.ult %v, 2
  condbr %c, l, out
out:
  ret 0
}`, "R4 x=0; W4 x=1; R4 x=1; W4 x=2; R4 x=2; W4 x=3; exit 0"},
		{"in the library", `
global x 4
runtime func pthread_mutex_lock(%m) 1 {
e:
  br l
l:
  %v = load.4.acq %m
  condbr %v, out, l
out:
  ret 0
}
func main() 1 {
e:
  %v = call @pthread_mutex_lock(@x)
  ret 0
}`, "R4 x=0; block lock 1"},
		{"around the library", `
global x 4
runtime func pthread_mutex_trylock(%m) 1 {
e:
  %v = load.4.acq %m
  ret %v
}
func main() 1 {
e:
  br l
l:
  %v = call @pthread_mutex_trylock(@x)
  condbr %v, out, l
out:
  ret 0
}`, "R4 x=0; block spin 1"},
		{"below the library", `
global x 4
func get(%p) 1 {
e:
  %z = cmp.64.eq %p, 1
  condbr %z, self, wait
self:
  %r = call @get(%p)
  ret 1
wait:
  %v = load.4.acq %p
  condbr %v, out, wait
out:
  ret 0
}
runtime func join(%m) 1 {
e:
  %v = call @get(%m)
  ret 0
}
func main() 1 {
e:
  %v = call @join(@x)
  ret 0
}`, "R4 x=0; block lock 1"},
		{"nested", `
global x 4
global y 4
func main() 1 {
e:
  br outer
outer:
  %a = load.4.acq @x
  br inner
inner:
  %b = load.4.acq @y
  %c = cmp.32.eq %b, 1
  condbr %c, inner, next
next:
  condbr %a, out, outer
out:
  ret 0
}`, "R4 x=0; R4 y=0; block spin 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := trace
			if strings.Contains(test.name, "unoptimised") { // it needs the passes
				run = func(t testing.TB, text string, opts Options, _ func(*fake)) string {
					return (&fake{p: compile(t, text, opts)}).run(t)
				}
			}
			if got := run(t, test.text, Options{SpinAssume: true}, nil); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}

// A loop that is entered again does not remember how it was left.
func TestSpinAgain(t *testing.T) {
	text := `
global x 4
global y 4
func main() 1 {
e:
  br outer
outer:
  %a = load.4.acq @y
  br inner
inner:
  %b = load.4.acq @x
  condbr %b, next, inner
next:
  br outer
}`
	got := trace(t, text, Options{SpinAssume: true}, func(e *fake) {
		p := e.p
		e.loads = map[event.Addr][]uint64{p.objects[0].Addr: {1}}
	})
	if want := "R4 y=0; R4 x=1; block spin 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUnroll(t *testing.T) {
	while := `
global x 4
func main() 1 {
e:
  %i = copy 0
  br h
h:
  %c = cmp.32.ult %i, 3
  condbr %c, body, out
body:
  store.4.rlx @x, %i
  %i = add.32 %i, 1
  br h
out:
  ret 0
}`
	do := `
global x 4
func main() 1 {
e:
  %i = copy 0
  br h
h:
  store.4.rlx @x, %i
  %i = add.32 %i, 1
  %c = cmp.32.ult %i, 3
  condbr %c, h, out
out:
  ret 0
}`
	middle := `
global x 4
func main() 1 {
e:
  %i = copy 0
  br h
h:
  store.4.rlx @x, %i
  %c = cmp.32.ult %i, 2
  condbr %c, more, out
more:
  %i = add.32 %i, 1
  br h
out:
  ret 0
}`
	all := "W4 x=0; W4 x=1; W4 x=2; exit 0"
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{while, 3, all},
		{while, 4, all},
		{while, 2, "W4 x=0; W4 x=1; block unroll 0"},
		{do, 3, all},
		{do, 4, all},
		{do, 2, "W4 x=0; W4 x=1; block unroll 0"},
		{middle, 3, all},
		{middle, 2, all},
		{middle, 1, "W4 x=0; W4 x=1; block unroll 0"},
	} {
		if got := trace(t, test.text, Options{Unroll: test.n}, nil); got != test.want {
			t.Errorf("%s\nunroll %d\ngot  %s\nwant %s", test.text, test.n, got, test.want)
		}
	}
}
