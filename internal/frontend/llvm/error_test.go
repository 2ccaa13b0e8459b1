package llvm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrors has wrong modules with the messages they get.
func TestErrors(t *testing.T) {
	fn := func(body string) string { return "define i32 @f(i32 %x, ptr %p) {\n" + body + "\n}\n" }
	tests := []struct{ name, src, want string }{
		{"LLVM 3 load", "@x = global i32 0\ndefine void @f() {\n  %a = load i32* @x\n  ret void\n}", "a.ll:3:18: this is text of LLVM 3.6 or older, where load has no type but that of the pointer: ravel reads the text of LLVM 3.7 and later"},
		{"LLVM 3 getelementptr", "@x = global i32 0\ndefine void @f() {\n  %a = getelementptr inbounds i32* @x, i32 0\n  ret void\n}", "a.ll:3:36: this is text of LLVM 3.6 or older, where getelementptr has no type but that of the pointer: ravel reads the text of LLVM 3.7 and later"},
		{"nonsense", "hello", "a.ll:1:1: expected a definition, found 'hello'"},
		{"undefined local", fn("  ret i32 %y"), "a.ll:2:11: use of undefined value '%y'"},
		{"undefined global", fn("  %y = load i32, ptr @g\n  ret i32 %y"), "a.ll:2:22: use of undefined value '@g'"},
		{"undefined label", fn("  br label %b"), "a.ll:2:12: use of undefined label '%b'"},
		{"undefined type", "@g = global %T zeroinitializer", "a.ll:1:13: use of undefined type '%T'"},
		{"unknown type", "@g = global quux 0", "a.ll:1:13: unknown type 'quux'"},
		{"unknown instruction", fn("  %y = frob i32 %x\n  ret i32 %y"), "a.ll:2:8: unknown instruction 'frob'"},
		{"two definitions", fn("  %y = add i32 %x, 1\n  %y = add i32 %x, 2\n  ret i32 %y"), "a.ll:3:3: '%y' is defined twice"},
		{"two functions", fn("ret i32 0") + fn("ret i32 0"), "a.ll:4:12: redefinition of '@f'"},
		{"wrong type", fn("  %y = add i64 %x, 1\n  ret i32 0"), "a.ll:2:16: '%x' has type 'i32', expected 'i64'"},
		{"wrong operand", fn("  %y = add ptr %p, null\n  ret i32 0"), "a.ll:2:3: add of type 'ptr'"},
		{"wrong cast", fn("  %y = trunc i32 %x to i64\n  ret i32 0"), "a.ll:2:3: wrong cast from 'i32' to 'i64'"},
		{"wrong return", fn("  ret i64 0"), "a.ll:2:7: returning 'i64' from a function of type 'i32'"},
		{"no terminator", fn("  %y = add i32 %x, 1"), "a.ll:3:1: block '%0' does not end with a branch or return"},
		{"phi", fn("  br label %a\na:\n  %y = phi i32 [ 1, %a ]\n  ret i32 %y"), "a.ll:4:3: phi has no value for predecessor '%0'"},
		{"end", "define void @f() {\n  ret void\n", "a.ll:3:1: expected '}', found the end of the file"},
		{"string", "@s = constant [3 x i8] c\"ab\"", "a.ll:1:24: a string of 2 bytes is not of type '[3 x i8]'"},
		{"array", "@s = constant [2 x i8] [i8 1]", "a.ll:1:24: 1 elements in a constant of type '[2 x i8]'"},
		{"recursive type", "%T = type { i32, %T }", "a.ll:1:1: type '%T' contains itself"},
		{"gep", "%T = type { i32 }\n" + fn("  %q = getelementptr %T, ptr %p, i32 0, i32 1\n  ret i32 0"), "a.ll:3:3: wrong index into '%T'"},
		{"call", "declare i32 @g(i32)\n" + fn("  %q = call i32 (i32) @g(i32 1, i32 2)\n  ret i32 0"), "a.ll:3:13: 2 arguments for a function of type 'i32 (i32)'"},
		{"extractvalue", fn("  %y = extractvalue { i32, i8 } undef, 2\n  ret i32 0"), "a.ll:2:40: '{ i32, i8 }' has no element 2"},
		{"big endian", "target datalayout = \"E-m:e\"", "a.ll:1:21: big-endian targets are not supported: compile for a little-endian target of 64 or 32 bits"},
		{"16 bits", `target datalayout = "e-p:16:16"`, "a.ll:1:21: pointers of 16 bits are not supported: compile for a target of 64 or 32 bits"},
		{"module asm", "module asm \".section .text\"\nmodule asm \"f: ret\"", "a.ll:2:1: module-level assembly of code is not supported: f: ret"},
		{"module asm after data", `module asm ".section .llvmbc,\\22e\\22; .byte 1; .previous"` + "\nmodule asm \"nop\"", "a.ll:2:1: module-level assembly of code is not supported: nop"},
		{"too large", "@g = global [99999999999 x i64] zeroinitializer", "a.ll:1:1: '@g' is too large"},
		{"deep", "@g = global " + strings.Repeat("[1 x ", 1000) + "i8", "a.ll:1:2513: nested too deeply"},
		{"void name", fn("  %y = store i32 1, ptr %p\n  ret i32 0"), "a.ll:2:3: 'store' has no result to name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := lowerText(t, tt.src)
			var e *Error
			if err == nil || !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		f := filepath.Join(dir, name)
		os.WriteFile(f, []byte(text), 0o666)
		return f
	}
	if _, err := FindClang(); err == nil {
		_, err := Load([]string{write("bad.c", "int main(void) { return x; }")}, Options{})
		var c *CompileError
		if !errors.As(err, &c) || !strings.Contains(c.Output, "use of undeclared identifier 'x'") {
			t.Errorf("got %v", err)
		}
		const hint = "add -- -std=c++20"
		for _, tt := range []struct {
			text  string
			flags []string
			hint  bool
		}{
			{"template <class T> concept any = true; int main() { any auto x = 1; }", []string{"-std=c++14"}, false},
			{"int main() { return x; }", nil, false},
			{"template <class T> concept any = true; int main() { any auto x = 1; }", nil, true},
		} {
			_, err := Load([]string{write("bad.cpp", tt.text)}, Options{Flags: tt.flags})
			// A clang whose default is C++20 compiles the last one.
			if !errors.As(err, &c) && !tt.hint || errors.As(err, &c) && strings.Contains(c.Output, hint) != tt.hint {
				t.Errorf("%s %v: got %v", tt.text, tt.flags, err)
			}
		}
	}
	_, err := Load([]string{write("a.txt", "")}, Options{})
	if err == nil || !strings.Contains(err.Error(), "ravel check reads .c") {
		t.Errorf("got %v", err)
	}
	if _, err = Load([]string{filepath.Join(dir, "none.c")}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err = Load([]string{write("b.c", "")}, Options{Clang: "/no/such/clang"}); err == nil || !strings.Contains(err.Error(), "can't run /no/such/clang") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", dir)
	if _, err = Load([]string{write("c.c", "")}, Options{}); !errors.Is(err, ErrNoClang) {
		t.Errorf("got %v", err)
	}
}
