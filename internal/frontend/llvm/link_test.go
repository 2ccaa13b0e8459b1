package llvm

import (
	"slices"
	"testing"

	"ravel/internal/ir"
)

func funcNamed(p *ir.Program, name string) *ir.Func {
	for _, f := range p.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func globalNamed(p *ir.Program, name string) *ir.Global {
	for _, g := range p.Globals {
		if g.Name == name {
			return g
		}
	}
	return nil
}

// returns gives the constant that function name returns.
func returns(t *testing.T, p *ir.Program, name string) uint64 {
	t.Helper()
	f := funcNamed(p, name)
	if f == nil || len(f.Blocks) != 1 {
		t.Fatalf("no function %s of one block", name)
	}
	ins := f.Blocks[0].Instrs
	return ins[len(ins)-1].Args[0].Imm
}

// TestLink joins modules that define, share and hide names.
func TestLink(t *testing.T) {
	a := `
@shared = external global i32
@hidden = internal global i32 1
@weak = weak global i32 1
@.str = private constant [2 x i8] c"a\00"
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }, { i32, ptr, ptr } { i32 100, ptr @early, ptr null }]
declare i32 @other()
define linkonce_odr i32 @inline() { ret i32 1 }
define weak i32 @overridden() { ret i32 1 }
define internal i32 @helper() { ret i32 10 }
define linkonce_odr void @unused() { ret void }
define internal void @late() { ret void }
define internal void @early() { ret void }
define ptr @hiddenA() { ret ptr @hidden }
define ptr @weakA() { ret ptr @weak }
define i32 @main() {
  %1 = call i32 @other()
  %2 = call i32 @inline()
  %3 = call i32 @helper()
  %4 = call i32 @overridden()
  %5 = load i32, ptr @shared
  %6 = load i8, ptr @.str
  ret i32 %1
}`
	b := `
@shared = global i32 7
@hidden = internal global i32 2
@weak = weak global i32 2
@.str = private constant [2 x i8] c"b\00"
@alias = alias i32, ptr @shared
@fnalias = alias i32 (), ptr @helper
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @mid, ptr null }]
define internal void @mid() { ret void }
define linkonce_odr i32 @inline() { ret i32 2 }
define i32 @overridden() { ret i32 2 }
define internal i32 @helper() { ret i32 20 }
define ptr @hiddenB() { ret ptr @hidden }
define ptr @weakB() { ret ptr @weak }
define ptr @aliasB() { ret ptr getelementptr (i8, ptr @alias, i64 2) }
define i32 @other() {
  %1 = call i32 @helper()
  %2 = call i32 @inline()
  %3 = call i32 @fnalias()
  %4 = load i8, ptr @.str
  ret i32 %1
}`
	p, err := lowerText(t, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if p.Main == nil || p.Main.Name != "main" {
		t.Error("no main")
	}
	if got := returns(t, p, "overridden"); got != 2 {
		t.Errorf("overridden returns %d", got)
	}
	if got := returns(t, p, "inline"); got != 1 {
		t.Errorf("inline returns %d", got)
	}
	if returns(t, p, "hiddenA") == returns(t, p, "hiddenB") {
		t.Error("internal globals clash")
	}
	if returns(t, p, "weakA") != returns(t, p, "weakB") {
		t.Error("weak globals are not merged")
	}
	if got, want := returns(t, p, "aliasB"), uint64(globalNamed(p, "shared").Addr)+2; got != want {
		t.Errorf("alias is %#x, want %#x", got, want)
	}
	if returns(t, p, "helper") != 10 || returns(t, p, "helper.1") != 20 {
		t.Error("internal functions clash")
	}
	if funcNamed(p, "unused") != nil {
		t.Error("unused inline function is kept")
	}
	var ctors []string
	for _, f := range p.Ctors {
		ctors = append(ctors, f.Name)
	}
	if !slices.Equal(ctors, []string{"early", "mid", "late"}) {
		t.Errorf("constructors %v", ctors)
	}
	if _, err := lowerText(t, "define void @f() { ret void }", "define void @f() { ret void }"); err == nil ||
		err.Error() != "b.ll:1:13: 'f' is defined in a.ll already" {
		t.Errorf("got %v", err)
	}
}

// TestRuntime links a library that serves only what is missing.
func TestRuntime(t *testing.T) {
	parse := func(name, src string) *Module {
		m, err := Parse(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	user := parse("user.ll", `
declare i32 @needed()
define i32 @own() { ret i32 1 }
define i32 @main() {
  %1 = call i32 @needed()
  %2 = call i32 @own()
  ret i32 %1
}`)
	lib := parse("lib.ll", `
@state = internal global i32 5
define i32 @needed() {
  %1 = call i32 @own()
  %2 = call i32 @deep()
  ret i32 3
}
define i32 @deep() {
  %1 = load i32, ptr @state
  ret i32 4
}
define i32 @own() { ret i32 2 }
define i32 @unneeded() { ret i32 2 }
define i32 @main() { ret i32 99 }
`)
	lib.runtime = true
	p, err := link([]*Module{user, lib})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if f := funcNamed(p, "needed"); f == nil || !f.Runtime || f.Blocks == nil {
		t.Error("needed is missing")
	}
	if funcNamed(p, "own").Runtime || returns(t, p, "own") != 1 {
		t.Error("the library replaced own")
	}
	if f := funcNamed(p, "deep"); f == nil || !f.Runtime {
		t.Error("deep is missing")
	}
	if funcNamed(p, "unneeded") != nil || p.Main.Runtime {
		t.Error("more of the library than needed")
	}
}

// TestGlobals checks layouts, initial bytes and flags.
func TestGlobals(t *testing.T) {
	p, err := lowerText(t, `
target datalayout = "e-m:e-p270:32:32-i64:64-f80:128-n8:16:32:64-S128"
%S = type { i8, i64, i16 }
@ints = global %S { i8 1, i64 -2, i16 3 }
@packed = global <{ i8, i64, i16 }> <{ i8 1, i64 -2, i16 3 }>
@fp = constant { ptr, float, double } { ptr @f, float 1.5, double -2.0 }
@self = global ptr getelementptr (i8, ptr @self, i64 4)
@diff = global i64 sub (i64 ptrtoint (ptr @self to i64), i64 ptrtoint (ptr @ints to i64))
@trunc = global i32 trunc (i64 ptrtoint (ptr @f to i64) to i32)
@vec = global <4 x i16> <i16 1, i16 2, i16 undef, i16 4>
@mask = global <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 1>
@wide = global i128 18446744073709551617
@ld = global x86_fp80 0xK3FFF8000000000000000, align 16
@zero = global [1000000 x i64] zeroinitializer
@tls = thread_local(initialexec) global i32 9, align 4
@stderr = external global ptr
@ext = external global i32
@i128 = global { i8, i128 } { i8 1, i128 2 }
define void @f() {
  %1 = load ptr, ptr @stderr
  %2 = load i32, ptr @ext
  ret void
}`)
	if err != nil {
		t.Fatal(err)
	}
	f := uint64(funcNamed(p, "f").Addr)
	self := uint64(globalNamed(p, "self").Addr)
	tests := []struct {
		name string
		size uint64
		init []byte
	}{
		{"ints", 24, append(append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0xfe}, slices.Repeat([]byte{0xff}, 7)...), 3)},
		{"packed", 11, append(append([]byte{1, 0xfe}, slices.Repeat([]byte{0xff}, 7)...), 3)},
		{"fp", 24, append(word(f), 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0)},
		{"self", 8, word(self + 4)},
		{"diff", 8, word(self - uint64(globalNamed(p, "ints").Addr))},
		{"trunc", 4, word(f)},
		{"vec", 8, []byte{1, 0, 2, 0, 0, 0, 4}},
		{"mask", 1, []byte{0x85}},
		{"wide", 16, []byte{1, 0, 0, 0, 0, 0, 0, 0, 1}},
		{"ld", 16, []byte{0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f}},
		{"zero", 8000000, nil},
		{"tls", 4, []byte{9}},
		{"stderr", 8, word(uint64(globalNamed(p, "stderr").Addr))},
		{"i128", 24, []byte{1, 0, 0, 0, 0, 0, 0, 0, 2}},
	}
	for _, tt := range tests {
		g := globalNamed(p, tt.name)
		for len(tt.init) > 0 && tt.init[len(tt.init)-1] == 0 {
			tt.init = tt.init[:len(tt.init)-1]
		}
		if g.Size != tt.size || string(g.Init) != string(tt.init) {
			t.Errorf("%s: size %d, bytes %x; want %d, %x", tt.name, g.Size, g.Init, tt.size, tt.init)
		}
	}
	if !globalNamed(p, "tls").TLS || !globalNamed(p, "fp").Const || !globalNamed(p, "ext").Decl || globalNamed(p, "stderr").Decl {
		t.Error("wrong flags")
	}
}

func word(v uint64) []byte {
	var b []byte
	for i := range 8 {
		b = append(b, byte(v>>(8*i)))
	}
	return b
}
