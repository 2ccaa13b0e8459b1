package check

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// TestShownOnce checks that executions are shown as they are counted, each once, when some of them have more threads, or bytes of
// what others take as a whole, and so exploration begins anew.
func TestShownOnce(t *testing.T) {
	needClang(t)
	file := filepath.Join(t.TempDir(), "late.c")
	if err := os.WriteFile(file, []byte(`#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
union { unsigned word; unsigned char byte[4]; } volatile u;
void *set(void *p) { flag = 1; return 0; }
void *part(void *p) { if (!flag) u.byte[1] = 3; return 0; }
int main(void) {
	pthread_t s, t, more[3];
	pthread_create(&s, 0, set, 0);
	pthread_create(&t, 0, part, 0);
	pthread_join(t, 0);
	u.word;
	if (!flag)
		for (int i = 0; i < 3; i++) pthread_create(&more[i], 0, set, 0);
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sc", "rc11", "imm"} {
		m, err := model.Get(name, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		n := int64(0)
		c := Config{
			Files: []string{file}, CompilerFlags: []string{"-w"},
			Explore: explore.Options{Model: m, Options: engine.Options{RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}},
			OnExecution: func(_ string, x *report.Execution) error {
				var b bytes.Buffer
				err := report.WriteExecution(&b, "", x, report.Options{})
				if seen[b.String()] {
					t.Errorf("%s: shown twice:\n%s", name, b.String())
				}
				seen[b.String()] = true
				n++
				return err
			},
		}
		res, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		if n < 2 || n != res.Executions.Complete {
			t.Errorf("%s: %d executions shown, %d counted", name, n, res.Executions.Complete)
		}
	}
}
