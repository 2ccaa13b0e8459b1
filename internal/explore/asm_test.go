package explore

import (
	"strings"
	"testing"

	"ravel/internal/engine"
	"ravel/internal/frontend/llvm"
	"ravel/internal/machine"
	"ravel/internal/model"
	rt "ravel/internal/runtime"
)

// TestAsm checks C programs with fences in inline assembly. ok names the models that they are right under, broken those
// that they are not.
func TestAsm(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles some fifty programs")
	}
	dir := t.TempDir()
	if err := rt.WriteHeaders(dir); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ shape, first, second, ok, broken string }{
		{"MP", "nop", "nop", "sc tso", "pso rc11 imm armv8 armv7 power riscv"},
		{"MP", "dmb ish", "dmb ish", "rc11 imm armv8 armv7 power riscv", ""}, // by their modes on the others
		{"MP", "dmb ishst", "dmb ishld", "armv8 armv7", "rc11 imm"},          // C11 has no fence that orders only stores,
		{"MP", "dmb ishst", "isb", "armv8 armv7", "rc11 imm"},                // ctrl+isb
		{"MP", "dsb st", "isb", "armv8 armv7", ""},
		{"MP", "dmb ishld", "isb", "", "armv8"},
		{"MP", "isb", "dmb ish", "", "armv8 armv7"},
		{"MP", "lwsync", "isync", "power", "rc11 imm"},
		{"MP", "sync", "isync", "power", ""},
		{"MP", "eieio", "isync", "power", ""},
		{"MP", "isync", "isync", "", "power"},
		{"MP", "lwsync", "nop", "", "power"},
		{"MP", "fence w,w", "fence r,r", "riscv", "rc11"},
		{"MP", "fence rw,w", "fence r,rw", "rc11 riscv", ""},
		{"MP", "fence.tso", "fence.tso", "rc11 riscv", ""},
		{"MP", "fence w,w", "fence r,w", "", "riscv"},
		{"MP", "fence r,r", "fence r,r", "", "riscv"},
		{"MP", "fence w,w", "fence.i", "", "riscv"},
		{"MP", "sfence", "nop", "tso pso", ""},
		{"SB", "mfence", "mfence", "tso pso rc11 imm armv8 armv7 power riscv", ""},
		{"SB", "lock; addl $0,(%%rsp)", "mfence", "tso pso rc11", ""},
		{"SB", "sfence", "mfence", "", "tso pso"},
		{"SB", "lfence", "lfence", "", "tso pso"},
		{"SB", "dmb ish", "dmb ishld", "", "armv8"},
		{"SB", "dmb ish", "dmb ishst", "", "armv8 armv7"},
		{"SB", "sync", "lwsync", "", "power"},
		{"SB", "sync", "sync", "power", ""},
		{"SB", "fence w,r", "fence rw,rw", "riscv", ""},
		{"SB", "fence w,w", "fence.tso", "", "riscv"},
	} {
		flags := []string{"-D" + test.shape, `-DFIRST="` + test.first + `"`, `-DSECOND="` + test.second + `"`}
		prog, err := llvm.Load([]string{"testdata/asm.c"}, llvm.Options{Flags: flags, IncludeDir: dir, Runtime: rt.Library()})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(test.ok + " " + test.broken) {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := Explore(t.Context(), prog, Options{Model: m, Options: engine.Options{Workers: 1, Machine: machine.Options{SpinAssume: true}}})
			if err != nil {
				t.Fatal(err)
			}
			ok := strings.Contains(" "+test.ok+" ", " "+name+" ")
			if got := len(res.Errors) == 0; got != ok {
				t.Errorf("%s with %q and %q under %s: right is %v, want %v", test.shape, test.first, test.second, name, got, ok)
			}
		}
	}
}
