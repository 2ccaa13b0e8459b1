package machine

import (
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/short"
)

// A variable that becomes a register: what is not written is found without Options.Undef, and is an error with it once
// it is used. The fake engine has no undefined memory.
func TestUninitialised(t *testing.T) {
	const branch = "uninitialised: a branch depends on memory that was never written"
	const use = "  %c = cmp.32.ne %v, 0\n  condbr %c, y, n\ny:\n  ret 1\nn:\n  ret 0\n}"
	for _, test := range []struct {
		name, text, want string
		tracked          bool // Options.Undef is needed to know
	}{
		{"never, not used", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  ret 0\n}", "exit 0", true},
		{"exit status", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  ret %v\n}", "uninitialised: the exit status depends on memory that was never written", true},
		{"never", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n" + use, branch, true},
		{"written", "func main() 1 {\ne:\n  %a = alloca 4\n  store.4.na %a, 5\n  %v = load.4.na %a\n" + use, "exit 1", false},
		{"compared with itself", "func main() 1 {\ne:\n  %a = alloca 4\n  %w = load.4.na %a\n  %v = cmp.32.eq %w, %w\n" + use, branch, true},
		{"branch to one place", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  condbr %v, n, n\nn:\n  ret 0\n}", branch, true},
		{"on one path", `
global x 4
func take(%p) 0 {
e:
  %v = load.4.na @x
  condbr %v, set, out
set:
  store.4.na %p, 1
  br out
out:
  ret
}
func main() 1 {
e:
  %a = alloca 4
  call @take(%a)
  %v = load.4.na %a
` + use, "R4 x=0; " + branch, true},
		{"in a loop", `
func main() 1 {
e:
  %i = alloca 4
  store.4.na %i, 0
  br h
h:
  %v = load.4.na %i
  %c = cmp.32.ult %v, 3
  condbr %c, body, out
body:
  %w = add.32 %v, 1
  store.4.na %i, %w
  br h
out:
  ret %v
}`, "exit 3", false},
		{"copied", "func main() 1 {\ne:\n  %a = alloca 8\n  %b = alloca 8\n  store.4.na %a, 1\n  memcpy %b, %a, 8\n  %p = gep %b, 4, 1, 0\n  %v = load.4.na %p\n" + use, branch, true},
		{"copied, but not used", "func main() 1 {\ne:\n  %a = alloca 8\n  %b = alloca 8\n  store.4.na %a, 1\n  memcpy %b, %a, 8\n  %v = load.4.na %b\n" + use, "exit 1", false},
		{"padding", "func main() 1 {\ne:\n  %a = alloca 8\n  store.4.na %a, 1\n  %w = load.8.na %a\n  %v = trunc.64.32 %w\n" + use, "exit 1", true},
		{"beside padding", "func main() 1 {\ne:\n  %a = alloca 8\n  store.4.na %a, 1\n  %w = load.8.na %a\n  %u = lshr.64 %w, 32\n  %v = trunc.64.32 %u\n" + use, branch, true},
		{"bit field", "func main() 1 {\ne:\n  %a = alloca 4\n  %x = load.4.na %a\n  %m = and.32 %x, -8\n  %o = or.32 %m, 1\n  store.4.na %a, %o\n  %w = load.4.na %a\n  %v = and.32 %w, 7\n" + use, "exit 1", true},
		{"another bit field", "func main() 1 {\ne:\n  %a = alloca 4\n  %x = load.4.na %a\n  %m = and.32 %x, -8\n  %o = or.32 %m, 1\n  store.4.na %a, %o\n  %w = load.4.na %a\n  %v = and.32 %w, 8\n" + use, branch, true},
		{"stored to memory", "global x 8\nfunc main() 1 {\ne:\n  %a = alloca 8\n  store.4.na %a, 1\n  memcpy @x, %a, 8\n  ret 0\n}", "W8 x=0xffffffff000000000000000000000001; exit 0", true},
		{"through a call", `
func same(%p, %q) 1 {
e:
  %b = cmp.64.eq %q, 1
  condbr %b, again, out
again:
  %r = call @same(%p, 0)
  ret %r
out:
  ret %p
}
func main() 1 {
e:
  %a = alloca 4
  %w = load.4.na %a
  %v = call @same(%w, 1)
` + use, branch, true},
		{"divisor", "func main() 1 {\ne:\n  %a = alloca 4\n  %v = load.4.na %a\n  %w = udiv.32 7, %v\n  ret %w\n}", "uninitialised: a divisor depends on memory that was never written", true},
		{"address", "global x 8\nfunc main() 1 {\ne:\n  %a = alloca 8\n  %v = load.8.na %a\n  %p = gep @x, %v, 1, 0\n  store.1.na %p, 1\n  ret 0\n}", "uninitialised: an address depends on memory that was never written", true},
		{"copied by a callee", `func copy(%p) 1 {
e:
  %t = alloca 16
  memcpy %t, %p, 16
  %v = load.8.na %t
  ret %v
}
func main() 1 {
e:
  %a = alloca 16
  store.8.na %a, 1
  %v = call @copy(%a)
` + use, "exit 1", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := (&fake{p: compile(t, test.text, Options{})}).run(t)
			tracked := strings.HasSuffix(got, Untracked.Message)
			if tracked {
				got = (&fake{p: compile(t, test.text, Options{Undef: true})}).run(t)
			}
			if got != test.want || tracked != test.tracked {
				t.Errorf("%s\ngot  %s, Undef %v\nwant %s, %v", test.text, got, tracked, test.want, test.tracked)
			}
		})
	}
}

// What the thread does does not depend on Undef if nothing is undefined.
func TestUndefSame(t *testing.T) {
	for seed := range uint64(short.Count(100, 20)) {
		text := randomProgram(seed)
		var traces [3]string
		for i := range traces {
			e := &fake{p: compile(t, text, Options{zero: true, Undef: i > 0, Deps: i > 1, SpinAssume: true})}
			traces[i] = heapOnly(e.run(t)) // other objects may be promoted
		}
		if traces[0] != traces[1] || traces[0] != traces[2] {
			t.Fatalf("seed %d\n%s\n%s\nwith undefined bits: %s\nwith dependencies too: %s", seed, text, traces[0], traces[1], traces[2])
		}
	}
}

// Variables that become registers have the same undefined bits as in memory, where the engine knows of them.
func TestUndefPromoted(t *testing.T) {
	found, n := 0, short.Count(300, 60)
	for seed := range uint64(n) {
		text := randomProgram(seed)
		var traces [2]string
		for i := range traces {
			e := &fake{p: compile(t, text, Options{plain: i == 1, Undef: true}), undef: map[event.Addr]byte{}}
			traces[i] = heapOnly(e.run(t))
		}
		if traces[0] != traces[1] {
			t.Fatalf("seed %d\n%s\nwith passes:    %s\nwithout passes: %s", seed, text, traces[0], traces[1])
		}
		if strings.Contains(traces[0], "never written") {
			found++
		}
	}
	if found < n/15 || found > n-n/15 {
		t.Errorf("%d of %d programs use what was never written", found, n)
	}
}
