package states

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/frontend/llvm"
	"ravel/internal/machine"
	rt "ravel/internal/runtime"
)

// A run that was stopped names the place at which a thread has most states, a loop that counts, or says that there are many orders.
func TestAdvice(t *testing.T) {
	if _, err := llvm.FindClang(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := rt.WriteHeaders(dir); err != nil {
		t.Fatal(err)
	}
	const head = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nvoid *f(void *p) {\n"
	const tail = "\treturn 0;\n}\nint main(void) {\n\tpthread_t t;\n\tfor (int i = 0; i < THREADS; i++) pthread_create(&t, 0, f, 0);\n}\n"
	for _, test := range []struct{ threads, body, want string }{
		{"2", "\tfor (int i = 0; i < 2000; i++)\n\t\tx++;\n", "x.c:6:4 in"},
		{"8", "\tx = 1;\n\tx = 2;\n", "there are many states"},
	} {
		file := filepath.Join(dir, "x.c")
		if err := os.WriteFile(file, []byte(head+test.body+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{"-DTHREADS=" + test.threads}, IncludeDir: dir, Runtime: rt.Library()})
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Model: SC, MaxStates: 5000}
		opts.Machine, opts.Workers = machine.Options{SpinAssume: true}, 1
		res, err := Explore(t.Context(), p, opts)
		if err != nil {
			t.Fatal(err)
		}
		if w := strings.Join(res.Warnings, "\n"); !strings.Contains(w, test.want) || res.GaveUp == "" {
			t.Errorf("%q: %s: %s, want %q", test.body, res.GaveUp, w, test.want)
		}
	}
}
