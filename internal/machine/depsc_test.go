package machine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
	"ravel/internal/frontend/llvm"
	"ravel/internal/machine"
)

// TestDepsC prints the dependencies of small C programs. What the compiler leaves out is not a dependency.
func TestDepsC(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil || testing.Short() {
		t.Skip("no clang on PATH, or -short")
	}
	for _, test := range []struct{ body, o0, o2 string }{ // o2 is empty where it is the compiler's choice
		{"int r = LD(x); ST(y, r+1);", "Rx Wy:data[1]", "Rx Wy:data[1]"},
		{"int r = LD(x); if (r) ST(y, 1);", "Rx Wy:ctrl[1]", "Rx Wy:ctrl[1]"},
		{"int r = LD(x); if (r) ST(y, 1); ST(z, 1);", "Rx Wy:ctrl[1] Wz:ctrl[1]", "Rx Wy:ctrl[1] Wz:ctrl[1]"},
		{"int r = LD(x); ST(a[r], 1);", "Rx Wa+4:addr[1]", "Rx Wa+4:addr[1]"},
		{"int r = LD(a[LD(x)]); ST(y, r);", "Rx Ra+4:addr[1] Wy:data[2]", "Rx Ra+4:addr[1] Wy:data[2]"},
		{"int r = LD(x); ST(y, r*0+1);", "Rx Wy:data[1]", "Rx Wy"},
		{"int r = LD(x); ST(y, (r^r)+1);", "Rx Wy:data[1]", "Rx Wy"},
		{"int r = LD(x); ST(a[r-r], 1);", "Rx Wa:addr[1]", "Rx Wa"},
		{"int r = LD(x); if (r) {} ST(y, 1);", "Rx Wy:ctrl[1]", "Rx Wy"},
		{"int r = LD(x); if (r) ST(y, 1); else ST(y, 1);", "Rx Wy:ctrl[1]", ""},
		{"int r = LD(x); ST(y, r ? 2 : 3);", "Rx Wy:data[1]", "Rx Wy:data[1]"},
		{"int r = id(LD(x)), s = 5; pass(&s, r); ST(y, s);", "Rx Wy:data[1]", "Rx Wy:data[1]"},
		{"struct s { int a, b; } u = { LD(x), 2 }, v = u; ST(y, v.a); ST(z, v.b);", "Rx Wy:data[1] Wz", "Rx Wy:data[1] Wz"},
		{"int r = FADD(x, 2); ST(y, r);", "Rx Wx:data[1] Wy:data[1]", "Rx Wx:data[1] Wy:data[1]"},
		{"int e = 1; if (CAS(x, e, 7)) ST(y, 1); ST(z, e);", "Rx Wx Wy:ctrl[1] Wz:ctrl[1]", ""},
		{"int e = 5; CAS(x, e, 7); ST(y, 1); int r = LD(x); ST(z, r);", "Rx Wy:ctrl[1] Rx:ctrl[1] Wz:data[3],ctrl[1]", "Rx Wy:ctrl[1] Rx:ctrl[1] Wz:data[3],ctrl[1]"},
		{"int e = LD(x), n = LD(y); CAS(z, e, n); ST(y, 1);", "Rx Ry Rz:exp[1] Wy:ctrl[1,3]", "Rx Ry Rz:exp[1] Wy:ctrl[1,3]"},
		{"for (int i = 0; i < 2; i++) if (LD(x)) ST(a[i], i);", "Rx Wa:ctrl[1] Rx:ctrl[1] Wa+4:ctrl[1,3]", "Rx Wa:ctrl[1] Rx:ctrl[1] Wa+4:ctrl[1,3]"},
	} {
		for opt, want := range map[string]string{"-O0": test.o0, "-O2": test.o2} {
			if got := cDeps(t, test.body, opt, false); want != "" && got != want {
				t.Errorf("%s %s\ngot  %s\nwant %s", opt, test.body, got, want)
			} else {
				t.Logf("%s %-70s %s", opt, test.body, got)
			}
		}
	}
}

// TestArms prints the control dependencies of small C programs that the Linux kernel's model has: on branches in whose arms the source has the access.
func TestArms(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil || testing.Short() {
		t.Skip("no clang on PATH, or -short")
	}
	for _, test := range []struct{ body, want string }{
		{"int r = LD(x); if (r) ST(y, 1); ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"int r = LD(x); if (!r) { } else ST(y, 1);", "Rx Wy:ctrl[1]"},
		{"int r = LD(x); if (!r) return 0; ST(y, 1);", "Rx Wy"},
		{"int r = LD(x); if (!r) goto out; ST(y, 1); out: ;", "Rx Wy"},
		{"int r = LD(x); if (r) { if (r > 1) return 0; ST(y, 1); }", "Rx Wy:ctrl[1]"},
		{"int r = LD(x), s = LD(y); if (r && !s) ST(z, 1);", "Rx Ry Wz:ctrl[1,2]"},
		{"int r = LD(x), s = LD(y); if (s || r) { ST(z, 1); } else ST(z, 2);", "Rx Ry Wz:ctrl[1,2]"},
		{"int r = LD(x); if (r) set(1); ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"int r = LD(x); if (early(r)) ST(z, 1);", "Rx Wy Wz:ctrl[1]"},
		{"int r = LD(x); void (*f)(int) = r ? set : 0; f(1); ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"int r = LD(x); switch (r) { case 1: ST(y, 1); break; case 2: return 0; } ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"int r = LD(x); while (r) { ST(y, 1); r = 0; } ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"for (int i = 0; i < 2; i++) if (LD(x)) ST(a[i], i);", "Rx Wa:ctrl[1] Rx Wa+4:ctrl[3]"},
		{"for (;;) { int r = LD(x); if (r) { ST(y, 1); break; } } ST(z, 1);", "Rx Wy:ctrl[1] Wz"},
		{"for (;;) { int r = LD(x); if (r) break; ST(y, 1); } ST(z, 1);", "Rx Wz"},
		{"int r = LD(x); if (r != 1) __builtin_trap(); ST(y, 1);", "Rx Wy"},
		{"int r = LD(x); if (!r) for (;;); ST(y, 1);", "Rx Wy"},
		{"int e = 1; CAS(x, e, 7); ST(y, 1);", "Rx Wx Wy"},
	} {
		if got := cDeps(t, test.body, "-O0", true); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.body, got, test.want)
		}
	}
}

const depsHead = `#include <stdatomic.h>
atomic_int x = 1, y, z, a[4];
#define LD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define ST(v, e) atomic_store_explicit(&v, e, memory_order_relaxed)
#define FADD(v, e) atomic_fetch_add_explicit(&v, e, memory_order_relaxed)
#define CAS(v, e, n) atomic_compare_exchange_strong(&v, &e, n)
static int id(int r) { return r; }
static void pass(int *p, int r) { *p += r; }
static void set(int v) { ST(y, v); }
static int early(int r) { if (!r) return 0; ST(y, 1); return r; }
`

// cDeps returns the accesses of a function main to the variables, without those after the last of them. With arms, the control dependencies are those on branches
// whose arms are open.
func cDeps(t *testing.T, body, opt string, arms bool) string {
	t.Helper()
	src := depsHead + "int main(void) { (void)id; (void)pass; (void)set; (void)early; " + body + " return 0; }"
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	prog, err := llvm.Load([]string{file}, llvm.Options{Flags: []string{opt, "-w"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := machine.Compile(prog, machine.Options{Deps: true, Arms: arms, SpinAssume: true})
	if err != nil {
		t.Fatal(err)
	}
	a := &machine.Arena{}
	mem := map[event.Addr]event.Value{}
	var act machine.Action
	var out []string
	say := func(kind string, data bool) {
		g, off := p.Object(act.Addr)
		if g == nil {
			return
		}
		text := kind + g.Name
		if off > 0 {
			text += fmt.Sprintf("+%d", off)
		}
		sep := ":"
		ctrl := act.CtrlDep
		if arms {
			ctrl = act.OpenDep
		}
		for i, d := range []event.DepSet{act.AddrDep, act.DataDep, ctrl, act.ExpDep} {
			if m := a.Deps().Members(d); len(m) > 0 && (data || i != 1) && (i != 3 || kind == "R") {
				text += sep + []string{"addr", "data", "ctrl", "exp"}[i] + strings.ReplaceAll(fmt.Sprint(m), " ", ",")
				sep = ","
			}
		}
		out = append(out, text)
	}
	for s := p.StartMain(a, &act); ; {
		v, ok := mem[act.Addr]
		if !ok {
			v, _ = p.InitialValue(act.Addr, max(act.Size, 1))
		}
		switch act.Kind {
		case machine.Load:
			say("R", false)
		case machine.Store:
			say("W", true)
			mem[act.Addr] = act.Val
		case machine.RMW:
			say("R", false)
			if act.RMW != event.CAS || v == act.Exp {
				say("W", true)
				mem[act.Addr] = act.RMW.Apply(v, act.Val, act.Size)
			}
		case machine.Fail:
			t.Fatal(act.Error.Message)
		case machine.Exit, machine.Block:
			return strings.Join(slices.DeleteFunc(out, func(s string) bool { return strings.Contains(s, "ravel") }), " ")
		}
		s = p.Resume(a, s, v, &act)
	}
}
