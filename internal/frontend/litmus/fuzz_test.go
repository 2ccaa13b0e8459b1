package litmus

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/litmus"
)

// FuzzParse: whatever the text, Parse returns a test whose jumps stay in their threads, or an *Error.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.litmus")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, s := range []string{
		"", "AArch64", "AArch64 x\n{", "C x\n{}\nP0(int *x) { if (*x) { } else", "X86 x\n{x=0;}\nP0;\nMOV [x],$1;\nexists (((",
		"Java x\n{0:X=x;}\nThread0 { for (;;) { X.set(1); } }", "LISA x\n{}\nP0;\nr[a,] r1 x;\nrmw[] r1 (cas 1 2) x;\n", "C x\n{}\nP0(int *x){int r=((((((*x))))));}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		test, err := Parse("fuzz.litmus", src)
		if err != nil {
			var e *litmus.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Col < 1 || e.Error() == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		checkTest(t, test)
	})
}

// checkTest checks what every reader of micro code may rely on.
func checkTest(t testing.TB, test *litmus.Test) {
	t.Helper()
	_ = test.String()
	for _, th := range test.Threads {
		for i := range th.Ops {
			op := &th.Ops[i]
			if op.Ins < 0 || op.Ins >= len(th.Instrs) {
				t.Errorf("op %d is of instruction %d", i, op.Ins)
			}
			if op.Kind == litmus.Branch && (op.To < 0 || op.To > len(th.Ops) || op.Join > len(th.Ops)) {
				t.Errorf("op %d goes to %d, join %d", i, op.To, op.Join)
			}
			if (op.Kind == litmus.Load || op.Kind == litmus.Store) && (op.Addr == nil || op.Size == 0 || op.Size > 16) {
				t.Errorf("op %d: %s", i, op)
			}
			if (op.Kind == litmus.Load || op.Kind == litmus.Set || op.Kind == litmus.Choose) && op.Dst == "" {
				t.Errorf("op %d: %s has no destination", i, op)
			}
			if (op.Kind == litmus.Set || op.Kind == litmus.Store || op.Kind == litmus.Assume || op.Kind == litmus.Jump) && op.X == nil {
				t.Errorf("op %d has no value", i)
			}
			if op.Pair >= 0 && (op.Pair >= i || th.Ops[op.Pair].Kind != litmus.Load || th.Ops[op.Pair].Ins != op.Ins) {
				t.Errorf("op %d is paired with %d", i, op.Pair)
			}
			if op.Kind != litmus.Store && op.Pair >= 0 {
				t.Errorf("op %d, no store, has a pair", i)
			}
		}
	}
	for _, v := range test.Vars {
		if len(v.Init) == 0 || v.Type.Size == 0 {
			t.Errorf("variable %s has no size", v.Name)
		}
	}
	if test.Cond.Prop == nil {
		t.Error("no condition")
	}
}
