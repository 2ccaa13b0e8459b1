package machine

import (
	"math"
	"strings"
	"testing"
)

func TestBuiltins(t *testing.T) {
	const declarations = `
const msg "x == 1"
const kind "assertion"
global x 4
declare __ravel_create(%f, %a) 1
declare __ravel_join(%t) 1
declare __ravel_self() 1
declare __ravel_exit(%r) 0
declare __ravel_assume(%c) 0
declare __ravel_choose(%n) 1
declare __ravel_alloc(%n, %z) 1
declare __ravel_alloc_aligned(%n, %z, %a) 1
declare __ravel_free(%p) 0
declare __ravel_error(%k, %m) 0
declare __ravel_print(%f) 0
declare abort() 0
declare __assert_fail(%e, %f, %l, %g) 0
declare exit(%s) 0
declare rand() 1
declare __VERIFIER_nondet_bool() 1
declare __VERIFIER_nondet_int() 1
declare sqrt(%x) 1
declare powf(%x, %y) 1
declare usleep(%n) 1
declare getenv(%n) 1
declare memcpy(%d, %s, %n) 1
func f(%a) 1 {
e:
  ret %a
}
func main() 1 {
e:
`
	f := func(x float64) string { return formatUint(math.Float64bits(x)) }
	f32 := func(x float32) string { return formatUint(uint64(math.Float32bits(x))) }
	for _, test := range []struct{ body, want string }{
		{"%t = call @__ravel_create(@f, 5)\n%r = call @__ravel_join(%t)\nret %r", "create 5; join 1; exit 99"},
		{"%t = call @__ravel_self()\nret %t", "exit 0"},
		{"call @__ravel_exit(8)\nret 1", "exit 8"},
		{"call @__ravel_assume(1)\ncall @__ravel_assume(0)\nret 1", "block assume 0"},
		{"%c = call @__ravel_choose(3)\nret %c", "choice 1/3; exit 1"},
		{"%c = call @__ravel_choose(0)\nret %c", "call: choice between 0 alternatives"},
		{
			"%p = call @__ravel_alloc(8, 0)\n%q = call @__ravel_alloc(8, 0)\nstore.4.na %q, 1\ncall @__ravel_free(%p)\nret 0",
			"alloc 1.1 8; alloc 1.2 8; W4 1.2=1; free 1.1; exit 0",
		},
		{"%p = call @__ravel_alloc(2000000, 0)\n%q = call @__ravel_alloc(8, 0)\nret 0", "alloc 1.1 2000000; alloc 1.32 8; exit 0"},
		{"%p = call @__ravel_alloc(61440, 0)\n%q = call @__ravel_alloc(61439, 0)\n%r = call @__ravel_alloc(0, 0)\nret 0", "alloc 1.1 61440; alloc 1.3 61439; alloc 1.4 0; exit 0"},
		{"%p = call @__ravel_alloc_aligned(8, 0, 65536)\n%q = call @__ravel_alloc_aligned(8, 0, 0x200000)\n%r = call @__ravel_alloc_aligned(8, 0, 0x200000)\nret 0", "alloc 1.1 8; alloc 1.32 8; alloc 1.96 8; exit 0"},
		{"%p = call @__ravel_alloc_aligned(8, 0, 0x400000)\nret 0", "unsupported: an object with an alignment of 4194304 bytes: at most 2097152 are supported"},
		{
			"%p = call @__ravel_alloc(0x10000000000, 0)\nret 0",
			"unsupported: a thread allocates too much: at most 1965056 objects of up to 65536 bytes have addresses",
		},
		{"call @__ravel_error(@kind, @msg)\nret 0", "assertion: x == 1"},
		{"call @__ravel_print(@msg, 1, 2)\n%r = call @usleep(1)\nret %r", "exit 0"},
		{"call @abort()\nunreachable", "assertion: abort() was called"},
		{"call @__assert_fail(@msg, 0, 0, 0)\nunreachable", "assertion: assertion `x == 1` failed"},
		{"call @exit(1)\nunreachable", "block ended 0"},
		{"%r = call @__VERIFIER_nondet_bool()\nret %r", "choice 1/2; exit 1"},
		{"%r = call @__VERIFIER_nondet_int()\nret %r", "choice 1/4; exit 1"},
		{"%x = sitofp.32.64 16\n%r = call @sqrt(%x)\nret %r", "exit " + f(4)},
		{"%x = sitofp.32.32 2\n%r = call @powf(%x, %x)\nret %r", "exit " + f32(4)},
		{"%r = call @usleep(1)\n%s = call @getenv(@msg)\nret %s", "exit 0"},
		{"%p = copy @__ravel_self\n%q = load.4.na @x\n%s = gep %p, %q, 1, 0\n%r = call %s()\nret %r", "R4 x=0; exit 0"},
		{"%r = call @memcpy(@x, @msg, 2)\nret 0", "R2 msg=8312; W2 x=8312; exit 0"},
		{"%r = call @__ravel_choose()\nret %r", "call: call of `__ravel_choose` with 0 arguments and 1 results"},
	} {
		text := declarations + test.body + "\n}"
		got := trace(t, text, Options{}, func(e *fake) { e.choices = []uint64{1} })
		if got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.body, got, test.want)
		}
	}
}

func formatUint(x uint64) string { return pair{Lo: x}.String() }

// A definition of the program wins over one of the library, and that over a builtin.
func TestPrecedence(t *testing.T) {
	user := "func abort() 1 {\ne:\n  ret 1\n}\n"
	library := "runtime func abort() 1 {\ne:\n  ret 2\n}\n"
	for _, test := range []struct{ defs, want string }{
		{"declare abort() 1\n", "assertion: abort() was called"},
		{library, "exit 2"},
		{user, "exit 1"},
		{strings.ReplaceAll(library, "abort", "x") + user, "exit 1"},
	} {
		if got := trace(t, test.defs+"func main() 1 {\ne:\n  %r = call @abort()\n  ret %r\n}", Options{}, nil); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.defs, got, test.want)
		}
	}
	p := parse(t, library+strings.ReplaceAll(user, "abort", "other")+"func main() 1 {\ne:\n  %r = call @abort()\n  ret %r\n}")
	p.Funcs[1].Name = "abort"
	c, err := Compile(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := (&fake{p: c}).run(t); got != "exit 1" {
		t.Errorf("both: %s", got)
	}
}
