package machine

import (
	"strings"
	"testing"

	"ravel/internal/ir"
)

// TestPasses compiles what compilers make of small programs without optimisation, and looks at what is left of them.
func TestPasses(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // the trace
		ops        string // what main does in the end
	}{
		{"locals", `
global x 4
func main() 1 {
e:
  %ret = alloca 4
  %a = alloca 4
  %p = alloca 8
  store.4.na %ret, 0
  store.8.na %p, %a
  %v = load.4.acq @x
  %q = load.8.na %p
  store.4.na %q, %v
  %w = load.4.na %a
  %s = add.32 %w, 1
  store.4.na @x, %s
  %r = load.4.na %ret
  ret %r
}`, "R4 x=0; W4 x=1; exit 0", "load add store ret"},
		{"method calls", `
global x 4
func load(%this, %mode) 1 {
e:
  %t = alloca 8
  %m = alloca 4
  %tmp = alloca 4
  store.8.na %t, %this
  store.4.na %m, %mode
  %u = load.8.na %t
  %n = load.4.na %m
  switch.32 %n, 2:acq, 5:sc, rlx
rlx:
  %a = load.4.rlx %u
  store.4.na %tmp, %a
  br out
acq:
  %b = load.4.acq %u
  store.4.na %tmp, %b
  br out
sc:
  %c = load.4.sc %u
  store.4.na %tmp, %c
  br out
out:
  %r = load.4.na %tmp
  ret %r
}
func get(%this) 1 {
e:
  %t = alloca 8
  store.8.na %t, %this
  %u = load.8.na %t
  %r = call @load(%u, 5)
  ret %r
}
func main() 1 {
e:
  %r = call @get(@x)
  ret %r
}`, "R4 x=0; exit 0", "load ret"},
		{"expected by pointer", `
global x 4
func cas(%obj, %exp, %new) 1 {
e:
  %e = load.4.na %exp
  %old, %ok = cas.4.sc.sc %obj, %e, %new
  condbr %ok, out, failed
failed:
  store.4.na %exp, %old
  br out
out:
  %b = zext.1.8 %ok
  %c = trunc.8.1 %b
  ret %c
}
func main() 1 {
e:
  %exp = alloca 4
  store.4.na %exp, 0
  %ok = call @cas(@x, %exp, 7)
  condbr %ok, yes, no
yes:
  %v = load.4.na %exp
  ret %v
no:
  ret 1
}`, "U4 x=0→7; exit 0", "cmpxchg condbr condbr ret ret"},
		{"struct by memcpy", `
global x 8
func main() 1 {
e:
  %s = alloca 8
  %t = alloca 8
  store.4.na %s, 1
  %s4 = gep %s, 1, 4, 0
  store.4.na %s4, 2
  memcpy %t, %s, 8
  %t4 = gep %t, 1, 4, 0
  %b = load.4.na %t4
  memcpy @x, %t, 8
  %w = load.8.na %t
  ret %w
}`, "W8 x=8589934593; exit 8589934593", "store ret"},
		{"escapes", `
global p 8
func main() 1 {
e:
  %a = alloca 4
  %b = alloca 4
  store.8.na @p, %a
  store.4.na %a, 1
  store.4.na %b, 2
  %v = load.4.na %b
  ret %v
}`, "alloc 1.1 4; W8 p=140098207744; W4 1.1=1; exit 2", "alloca store store ret"},
		{"out of bounds stays in memory", `
func main() 1 {
e:
  %a = alloca 4
  %q = gep %a, 1, 4, 0
  store.4.na %q, 1
  ret 0
}`, "alloc 1.1 4; W4 1.1+4=1; exit 0", "alloca store ret"},
		{"constants", `
func main() 1 {
e:
  %a = add.32 2, 3
  %c = cmp.32.ugt %a, 4
  condbr %c, yes, no
yes:
  %m = mul.32 %a, 10
  ret %m
no:
  ret 0
}`, "exit 50", "ret"},
		{"recursion is not inlined", `
func even(%n) 1 {
e:
  %z = cmp.32.eq %n, 0
  condbr %z, yes, more
yes:
  ret 1
more:
  %m = sub.32 %n, 1
  %r = call @odd(%m)
  ret %r
}
func odd(%n) 1 {
e:
  %z = cmp.32.eq %n, 0
  condbr %z, no, more
no:
  ret 0
more:
  %m = sub.32 %n, 1
  %r = call @even(%m)
  ret %r
}
func main() 1 {
e:
  %r = call @even(7)
  ret %r
}`, "exit 0", "call ret"},
		{"a pointer to a known function", `
global x 4
func f(%a) 1 {
e:
  %v = load.4.na @x
  %s = add.32 %v, %a
  ret %s
}
func apply(%g, %a) 1 {
e:
  %s = alloca 8
  store.8.na %s, %g
  %h = load.8.na %s
  %r = call %h(%a)
  ret %r
}
func main() 1 {
e:
  %r = call @apply(@f, 3)
  ret %r
}`, "R4 x=0; exit 3", "load add ret"},
		{"the inlined object ends", `
global p 8
func f() 0 {
e:
  %a = alloca 4
  store.8.na @p, %a
  ret
}
func main() 1 {
e:
  call @f()
  call @f()
  ret 0
}`, "alloc 1.1 4; W8 p=140098207744; free 1.1; alloc 1.2 4; W8 p=140098273280; free 1.2; exit 0", "alloca store freestack alloca store freestack ret"},
		{"unused accesses stay", `
global x 4
func main() 1 {
e:
  %v = load.4.na @x
  %w = load.4.sc @x
  %u = add.32 %v, %w
  ret 0
}`, "R4 x=0; R4 x=0; exit 0", "load load ret"},
		{"a division that may fail stays", `
global x 4 = 1
func main() 1 {
e:
  %v = load.4.na @x
  %u = udiv.32 5, %v
  ret 0
}`, "R4 x=1; exit 0", "load udiv ret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := trace(t, test.text, Options{}, nil); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
			}
			var ops []string
			var dump string
			compile(t, test.text, Options{dump: func(f *fn) {
				if f.name != "main" {
					return
				}
				dump = f.String()
				for _, b := range f.blocks {
					for i := range b.instrs {
						switch op := b.instrs[i].Op; op {
						case ir.Copy, ir.Br:
						case midFreeStack:
							ops = append(ops, "freestack")
						default:
							ops = append(ops, op.String())
						}
					}
				}
			}})
			if got := strings.Join(ops, " "); got != test.ops {
				t.Errorf("%s\nleft %s\nwant %s\n%s", test.text, got, test.ops, dump)
			}
		})
	}
}

// A frame keeps only what is live at a stop.
func TestFrameSize(t *testing.T) {
	p := compile(t, `
global x 4
global y 4
func main() 1 {
e:
  %a = load.4.rlx @x
  %b = load.4.rlx @x
  %c = add.32 %a, %b
  %d = mul.32 %c, 3
  store.4.rlx @y, %d
  %e = load.4.rlx @x
  %f = add.32 %e, %d
  ret %f
}`, Options{})
	a := &Arena{}
	var act Action
	s := p.StartMain(a, &act)
	for i, want := range []int{0, 1, 1, 1} { // registers beyond the header
		if got := p.size(a.words[s:]) - frameHeader; got != want {
			t.Errorf("stop %d keeps %d registers, want %d", i, got, want)
		}
		s = p.Resume(a, s, pair{}, &act)
	}
}
