package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/short"
)

const sraModel = `SRA "Strong release/acquire"
(* Lahav, Giannarakis, Vafeiadis, "Taming release-acquire consistency", POPL'16 *)
include "cos.cat"
let hb = (po | rf)+
acyclic po | rf | co as order
irreflexive fr; hb as reads
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fr; co) as atomicity
`

// javaLike has release and acquire, and nothing that makes volatile accesses sequentially consistent.
const javaLike = `"Java without pushto"
include "java.cat"
let visible = (po; [W & (REL | V)] | [R & (ACQ | V)]; po | rf | threads)+
let vo = visible | po-loc
let rec order = loc & (IW * (W \ IW)) | ww(W * FW) | ww(vo) | ww(vo; rf^-1) | ww(vo; po) | [opq]; ww(rf; po; rf^-1); [opq] | ww((rf; update)^-1; order)
acyclic order as coherence
`

// TestCatModels runs programs under models in cat of our own.
func TestCatModels(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
	const header = "#include <stdatomic.h>\n#include <pthread.h>\n#include <assert.h>\nint x; atomic_int y, z;\n"
	const reader = "void *f(void *p) { atomic_store(&y, 1); return 0; }\nvoid *g(void *p) { assert(!atomic_load(&y)); return 0; }\n"
	const racy = "void *f(void *p) { x = 1; return 0; }\nvoid *g(void *p) { return (void *)(long)x; }\n"
	const buffering = "int b, c;\nvoid *f(void *p) { int r = b; c = 1; return 0; }\nvoid *g(void *p) { int r = c; b = 1; return 0; }\n"
	const runBoth = `int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  END
}
`
	both := func(end string) string { return strings.ReplaceAll(runBoth, "END", end) }
	for _, test := range short.Every(4, []struct {
		name, model, program string
		flags                []string
		status               int
		want                 []string
	}{
		{
			name: "strong release/acquire allows store buffering", model: sraModel, status: 0,
			program: header + `int r, s;
void *f(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); r = atomic_load_explicit(&z, memory_order_relaxed); return 0; }
void *g(void *p) { atomic_store_explicit(&z, 1, memory_order_relaxed); s = atomic_load_explicit(&y, memory_order_relaxed); return 0; }
` + both("return 0;"),
			want: []string{"4 executions", "does not say what a data race is"},
		},
		{
			// Two stores on each side: 2+2W, the end with both first stores last in co is what the model forbids (POPL'16, section 1).
			name: "strong release/acquire forbids 2+2W", model: sraModel, status: 0,
			program: header + `
void *f(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); atomic_store_explicit(&z, 2, memory_order_relaxed); return 0; }
void *g(void *p) { atomic_store_explicit(&z, 1, memory_order_relaxed); atomic_store_explicit(&y, 2, memory_order_relaxed); return 0; }
` + both("assert(!(y == 1 && z == 1)); return 0;"),
			want: []string{"3 executions"},
		},
		{
			name: "a flag of the model is a race", model: `MINE
include "cos.cat"
acyclic po | rf | co | fr as sc
empty rmw & (fr; co) as atomicity
flag ~empty [W & RLX]; (co & ext); [W & RLX] as two-relaxed-writers
`, status: 1,
			program: header + `
void *f(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); return 0; }
void *g(void *p) { atomic_store_explicit(&y, 2, memory_order_relaxed); return 0; }
` + both("return 0;"),
			want: []string{"the model flags this execution: two-relaxed-writers", "model.cat:5:6"},
		},
		{
			// A release fence before the creation of a thread is not one of that thread: C11, 7.17.4.
			name: "fences of the parent", model: `include "rc11.cat"`, status: 1,
			program: header + `
void *g(void *p) { if (atomic_load_explicit(&y, memory_order_acquire)) return (void *)(long)x; return 0; }
void *f(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, g, 0);
  x = 1;
  atomic_thread_fence(memory_order_release);
  pthread_create(&a, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
`,
			want: []string{"data race on `x`"},
		},
		{
			name: "creation and join order", model: `include "rc11.cat"`, status: 0,
			program: header + `
void *f(void *p) { x++; return 0; }
int main(void) {
  pthread_t a;
  x = 1;
  pthread_create(&a, 0, f, 0); pthread_join(a, 0);
  assert(x == 2);
  return 0;
}
`,
			want: []string{"verified"},
		},
		{
			name: "hardware needs the compilation mapping", model: `include "armv8.cat"`, status: 0,
			program: header + `atomic_int d;
void *f(void *p) { atomic_store_explicit(&d, 1, memory_order_relaxed); atomic_store_explicit(&y, 1, memory_order_release); return 0; }
void *g(void *p) { if (atomic_load_explicit(&y, memory_order_acquire)) assert(atomic_load_explicit(&d, memory_order_relaxed)); return 0; }
` + both("return 0;"),
			want: []string{"verified"},
		},
		{
			name: "values out of thin air", model: "include \"cos.cat\"\nacyclic po-loc | rf | co | fr as coherence\nempty rmw & (fr; co) as atomicity\n", status: 3,
			program: "int main(void) { return 0; }\n",
			want:    []string{"bounded: executions with cycles of po | rf are not explored", "not shown that model.cat forbids them"},
		},
		{
			name: "no atomicity but nothing that needs it", model: "include \"cos.cat\"\nacyclic po | rf | co | fr\n", status: 0,
			program: "int main(void) { return 0; }\n",
			want:    []string{"verified"},
		},
		{
			name: "no atomicity", model: "include \"cos.cat\"\nacyclic po | rf | co | fr\n", status: 3,
			program: header + "int main(void) { atomic_fetch_add(&y, 1); return 0; }\n",
			want:    []string{"bounded: executions in which another write comes between those of a read-modify-write"},
		},
		{
			// Each execution in which the assertion fails reads from another thread.
			name: "an assertion that fails in executions that the model forbids", model: "include \"sc.cat\"\nempty [W \\ IW]; rfe", status: 0,
			program: header + reader + both("return 0;"),
			want:    []string{"verified", "1 execution"},
		},
		{
			name: "an assertion that fails in executions that the model allows", model: "include \"sc.cat\"\n~empty [W \\ IW]; rfe", status: 1,
			program: header + reader + both("return 0;"),
			want:    []string{"error[assertion]"},
		},
		{
			// When g fails, f has not read what makes the execution one of the model: it does afterwards.
			name: "an assertion that fails before the execution is complete", model: "include \"sc.cat\"\n~empty [W \\ IW]; rfe; [ACQ]", status: 1,
			program: header + `atomic_int d;
void *f(void *p) { atomic_store(&y, 1); atomic_load_explicit(&d, memory_order_acquire); return 0; }
void *g(void *p) { atomic_store(&d, 1); assert(!atomic_load(&y)); return 0; }
` + both("return 0;"),
			want: []string{"error[assertion]"},
		},
		{
			name: "Java: load buffering", model: "include \"jam21.cat\"\nempty rf & po & id as nothing", status: 0,
			program: header + buffering + both("return 0;"),
			want:    []string{"verified: no errors in 4 executions"},
		},
		{
			name: "Java without load buffering", model: "include \"jam21.cat\"\nacyclic po | rf as no-buffering", status: 0,
			program: header + buffering + both("return 0;"),
			want:    []string{"verified: no errors in 3 executions"},
		},
		{
			name: "a model like Java's whose volatile accesses are not sequentially consistent", model: javaLike, status: 0,
			program: header + `atomic_int d;
void *f(void *p) { atomic_store(&y, 1); return (void *)(long)atomic_load(&d); }
void *g(void *p) { atomic_store(&d, 1); return (void *)(long)atomic_load(&y); }
` + both("return 0;"),
			want: []string{"verified: no errors in 4 executions"},
		},
		{
			name: "a model like Java's: load buffering and updates", model: javaLike, status: 0,
			program: header + strings.Replace(buffering, "int r = b;", "int r = b; atomic_fetch_add(&y, 1);", 1) + both("return 0;"),
			want:    []string{"verified: no errors in 4 executions"},
		},
		{
			name: "a model like Java's that lets a write come between those of an update", model: strings.Replace(javaLike, " | ww((rf; update)^-1; order)", "", 1), status: 3,
			program: header + strings.Replace(buffering, "int r = b;", "int r = b; atomic_fetch_add(&y, 1);", 1) + both("return 0;"),
			want:    []string{"bounded: executions in which another write comes between those of a read-modify-write"},
		},
		{
			name: "a model like Java's that speaks of co", model: strings.Replace(javaLike, "acyclic order ", "acyclic order | co ", 1) + "empty rmw & ((rf^-1; co) ; co) as atomicity\n", status: 0,
			program: header + strings.Replace(buffering, "int r = b;", "int r = b; atomic_fetch_add(&y, 1);", 1) + both("return 0;"),
			want:    []string{"verified: no errors in 4 executions"},
		},
		{
			name: "a model like Java's that may order the last write before another one", model: strings.Replace(javaLike, "ww(W * FW)", "ww([W & NA]; (W * FW))", 1), status: 3,
			program: header + buffering + both("return 0;"),
			want:    []string{"bounded: executions with cycles of po | rf, or that are not coherent"},
		},
		{
			name: "a model in which opaque reads go backwards", model: strings.Replace(javaLike, " | [opq]; ww(rf; po; rf^-1); [opq]", "", 1), status: 3,
			program: header + buffering + both("return 0;"),
			want:    []string{"bounded: executions with cycles of po | rf, or that are not coherent"},
		},
		{
			name: "a model that does not say what is visible", model: strings.ReplaceAll(javaLike, "visible", "seen"), status: 3,
			program: header + buffering + both("return 0;"),
			want:    []string{"bounded: executions with cycles of po | rf, or that are not coherent"},
		},
		{
			name: "a model like Java's: loops that wait may matter", model: javaLike, status: 3,
			program: header + `
void *f(void *p) { atomic_store(&y, 1); return 0; }
void *g(void *p) { while (!atomic_load(&y)) {} return 0; }
` + both("return 0;"),
			want: []string{"bounded: loops that wait were cut after one round"},
		},
		{
			name: "loops that wait may matter", model: "include \"sc.cat\"\n~empty [R]; po; [R]", status: 3,
			program: header + `
void *f(void *p) { atomic_store(&y, 1); return 0; }
void *g(void *p) { while (!atomic_load(&y)) {} return 0; }
` + both("return 0;"),
			want: []string{"bounded: loops that wait were cut after one round"},
		},
		{
			name: "a loop that is cut may have more to come", model: "include \"sc.cat\"\n~empty [W \\ IW]; rfe", status: 3, flags: []string{"--unroll", "2"},
			program: header + "int main(void) { for (int i = 0; ; i++) y = i; }\n",
			want:    []string{"bounded: loops were cut after 2 iterations"},
		},
		{
			name: "a use after free that is not complete", model: "include \"sc.cat\"\n~empty rf; [R]; po; [W]", status: 3,
			program: "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }\n",
			want:    []string{"bounded: there is an error in an execution that model.cat does not allow as far as it goes"},
		},
		{
			name: "a use after free that is complete as it is", model: "include \"sc.cat\"\n~empty [W]; po; [W]", status: 1,
			program: "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; *p = 2; free(p); return *p; }\n",
			want:    []string{"use after free", "this one fulfils them as far as it goes"},
		},
		{
			name: "a race of an execution that the model allows", model: "include \"rc11.cat\"\n~empty [W \\ IW]; rfe", status: 1,
			program: header + racy + both("return 0;"),
			want:    []string{"the model flags this execution: race"},
		},
		{
			name: "a race of executions that the model forbids", model: "include \"rc11.cat\"\n~empty [R]; po", status: 3, // no execution, no verdict
			program: header + "void *f(void *p) { x = 1; return 0; }\nvoid *g(void *p) { x = 2; return 0; }\n" + both("return 0;"),
			want:    []string{"0 executions"},
		},
		{
			name: "the model asserts what does not hold", model: "include \"sc.cat\"\nassert empty rf", status: 3,
			program: header + reader + both("return 0;"),
			want:    []string{"unknown", "model.cat:2:8: the model asserts what does not hold: empty rf"},
		},
		{
			name: "a mistake in the model", model: "include \"cos.cat\"\nacyclic po | rff as sc\n", status: 2,
			program: "int main(void) { return 0; }\n",
			want:    []string{"model.cat:2:14: unbound name rff; did you mean rf?", "  acyclic po | rff as sc\n", "               ^"},
		},
		{
			name: "a model of the kernel", model: "include \"lkmm.cat\"\n", status: 2,
			program: "int main(void) { return 0; }\n",
			want:    []string{"unbound name Once; models of the Linux kernel are for `ravel litmus`", "--model lkmm"},
		},
		{
			name: "a model that looks inside instructions", model: "acyclic iico_data | rf-reg\n", status: 2,
			program: "int main(void) { return 0; }\n",
			want:    []string{"unbound name iico_data; models that look inside instructions are for `ravel litmus`", "--model armv8"},
		},
	}) {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			model, program := filepath.Join(dir, "model.cat"), filepath.Join(dir, "p.c")
			for file, text := range map[string]string{model: test.model, program: test.program} {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			status, out, errs := runRavel(t, append([]string{"check", "--model", model, program}, test.flags...)...)
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			for _, want := range test.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("no %q in\n%s%s", want, out, errs)
				}
			}
		})
	}
}

// TestExplain checks what ravel models says about models in cat.
func TestExplain(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"models", "rc11", "--explain"}, []string{"by a walk from the new event", "hb is kept as a vector clock", "safe: "}},
		{[]string{"models", "armv8", "--explain"}, []string{"rf and dependencies", "AArch64, as C11 compilers translate"}},
		{[]string{"models", "c11", "--explain"}, []string{"on complete executions: S is chosen", "not safe", "cycles of po | rf"}},
		{[]string{"models", "--json", "RC11"}, []string{`[{"name":"rc11",`, "Repairing"}},
		{[]string{"models", "rc11"}, []string{"Repairing", "acyclic psc-order(hb) as sc", "let psc-order(hb) ="}},
		{[]string{"models", "c11"}, []string{"Mathematizing C++ concurrency"}},
		{[]string{"models"}, []string{"rc11", "c11 "}},
	} {
		status, out, errs := runRavel(t, test.args...)
		if status != 0 {
			t.Errorf("%v: status %d: %s", test.args, status, errs)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", test.args, want, out)
			}
		}
	}
}
