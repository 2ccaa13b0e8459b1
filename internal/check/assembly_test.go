package check

import (
	"strings"
	"testing"

	"ravel/internal/explore"
	"ravel/internal/model"
)

// Barriers that are for the compiler only, in code for x86, are warned about under the model of a processor that needs more. A fence is one everywhere.
func TestBarrierWarnings(t *testing.T) {
	needClang(t)
	const rest = "atomic_int x, y;\nint main(void) {\n\tatomic_store_explicit(&x, 1, memory_order_relaxed);\n\tBARRIER;\n\tatomic_store_explicit(&y, 1, memory_order_relaxed);\n}\n"
	for _, c := range []struct {
		barrier, model, target string
		warns                  bool
	}{
		{`__asm__ volatile("" ::: "memory")`, "armv8", "x86_64", true},
		{`__asm__ volatile("" ::: "memory")`, "tso", "x86_64", false},
		{`__asm__ volatile("" ::: "memory")`, "rc11", "x86_64", false},
		{"atomic_signal_fence(memory_order_release)", "armv8", "x86_64", true},
		{"atomic_signal_fence(memory_order_release)", "power", "x86_64", true},
		{"atomic_signal_fence(memory_order_release)", "armv8", "aarch64", false},
		{"atomic_thread_fence(memory_order_release)", "armv8", "x86_64", false},
	} {
		m, err := model.Get(c.model, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := "#include <stdatomic.h>\n#define BARRIER " + c.barrier + "\n" + rest
		res, err := Run(Config{
			Files: []string{"b.c"}, Sources: map[string][]byte{"b.c": []byte(text)}, CompilerFlags: []string{"--target=" + c.target + "-linux-gnu"}, Explore: explore.Options{Model: m},
		})
		if err != nil {
			t.Fatal(err)
		}
		if warns := strings.Contains(strings.Join(res.Warnings, "\n"), "b.c:6:2: a barrier for the compiler only"); warns != c.warns {
			t.Errorf("%s for %s under %s: warnings %q", c.barrier, c.target, c.model, res.Warnings)
		}
	}
}
