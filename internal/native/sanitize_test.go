package native

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	programCount = flag.Int("programs", 200, "random programs without threads")
	programSeed  = flag.Uint64("program-seed", 1, "the first of them")
)

// batch is how many programs are compiled at once.
const batch = 20

// A sanitizer is a way of compiling that makes a program end with an error when it does something wrong.
type sanitizer struct {
	name  string
	flags string
	env   string
}

// In LLVM IR a left shift of a signed number is one like any other, so ravel does not see that it overflows (shift-base).
var sanitizers = []sanitizer{
	{"asan", "-fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all", "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0"},
	{"msan", "-fsanitize=memory", "MSAN_OPTIONS=exitcode=77"},
}

// A sample is a random program.
type sample struct {
	seed uint64
	body string // without the prelude; its main is main_SEED
}

func (s *sample) main() string { return fmt.Sprintf("main_%d", s.seed) }

// program is the sample by itself.
func (s *sample) program(prelude string) string {
	return prelude + strings.Replace(s.body, "int "+s.main()+"(", "int main(", 1)
}

// together is a program that runs the sample whose number it is given.
func together(prelude string, samples []*sample) string {
	var b, calls strings.Builder
	b.WriteString(prelude)
	for i, s := range samples {
		b.WriteString(s.body)
		fmt.Fprintf(&calls, "  case %d: return %s();\n", i, s.main())
	}
	return b.String() + "int main(int argc, char **argv) {\n  switch (atoi(argv[1])) {\n" + calls.String() + "  }\n  return 0;\n}\n"
}

// compileBatch compiles samples natively.
func compileBatch(t *testing.T, dir, name, flags, text string) {
	t.Helper()
	write(t, dir, "batch.c", text)
	args := append([]string{"-w", "-g", "-pthread", "batch.c", "-o", name}, strings.Fields(flags)...)
	if o := run(t, dir, 5*time.Minute, "clang", args...); o.code != 0 || o.late {
		t.Fatalf("clang %s: %s", flags, o.out)
	}
}

// complaint is the line of a sanitizer's report that says what it is about.
func complaint(out string) string {
	for line := range strings.Lines(out) {
		for _, word := range []string{"ERROR: ", "runtime error: ", "WARNING: ", "Assertion "} {
			if _, what, ok := strings.Cut(line, word); ok {
				return strings.TrimSpace(what)
			}
		}
	}
	return strings.TrimSpace(out)
}

// TestSequential compares what ravel says about random programs without threads with what the sanitizers say: an error if and only if one of them
// reports one, or an assertion fails.
func TestSequential(t *testing.T) {
	needTools(t, "clang")
	for _, s := range sanitizers {
		t.Setenv(strings.SplitN(s.env, "=", 2)[0], strings.SplitN(s.env, "=", 2)[1])
	}
	wrong := 0
	for first := 0; first < *programCount; first += batch {
		var samples []*sample
		for i := range min(batch, *programCount-first) {
			seed := *programSeed + uint64(first+i)
			samples = append(samples, &sample{seed, sequential(rand.New(rand.NewPCG(seed, 7)), seed)})
		}
		dir := t.TempDir()
		for _, s := range sanitizers {
			compileBatch(t, dir, s.name, s.flags, together(prelude, samples))
		}
		for i, s := range samples {
			native := ""
			for _, by := range sanitizers {
				if o := run(t, dir, 20*time.Second, "./"+by.name, fmt.Sprint(i)); o.code != 0 && native == "" {
					native = by.name + ": " + complaint(o.out)
				}
			}
			if native != "" {
				wrong++
			}
			write(t, dir, "p.c", s.program(prelude))
			v, o := check(t, dir, "p.c", []string{"--check-overflow"}, nil)
			if native != "" == (v.Verdict == "error") && v.Verdict != "" && v.Verdict != "unknown" {
				continue
			}
			save(t, fmt.Sprintf("sequential%d.c", s.seed), fmt.Sprintf("// native: %s\n// ravel: %v\n%s", native, v, s.program(prelude)))
			if v.Verdict == "" {
				t.Logf("%s", o.out)
			}
			t.Errorf("program %d: natively %q, by ravel %v", s.seed, native, v)
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d of %d programs are wrong", wrong, *programCount)
}
