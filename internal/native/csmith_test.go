package native

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	csmithCount = flag.Int("csmith", 3, "programs of csmith")
	csmithSeed  = flag.Int("csmith-seed", 1, "the seed of the first one")
)

// csmithOptions keep programs small.
var csmithOptions = strings.Fields("--no-argc --max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 6 " +
	"--max-array-dim 2 --max-array-len-per-dim 5 --max-struct-fields 5")

const csmithHeaders = "-I/usr/include/csmith"

// TestCsmith compares the checksums of programs of csmith, which have no undefined behaviour: natively, and by ravel at every level of
// optimisation. ravel is given a program that asserts the native checksum.
func TestCsmith(t *testing.T) {
	needTools(t, "csmith", "clang")
	checked, late, undecided := 0, 0, 0
	for i := range *csmithCount {
		seed := *csmithSeed + i
		dir := t.TempDir()
		if o := run(t, dir, time.Minute, "csmith", append([]string{"-s", fmt.Sprint(seed), "-o", "p.c"}, csmithOptions...)...); o.code != 0 || o.late {
			t.Fatalf("csmith, seed %d: %s", seed, o.out)
		}
		if o := run(t, dir, time.Minute, "clang", "-w", "-O1", csmithHeaders, "p.c", "-o", "p"); o.code != 0 {
			t.Fatalf("clang, seed %d: %s", seed, o.out)
		}
		native := run(t, dir, 2*time.Second, "./p")
		sum, ok := strings.CutPrefix(strings.TrimSpace(native.out), "checksum = ")
		if native.late || !ok {
			late++ // some never end
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "p.c"))
		if err != nil {
			t.Fatal(err)
		}
		program := asserting(string(text), sum)
		write(t, dir, "r.c", program)
		for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
			switch v, o := check(t, dir, "r.c", nil, []string{level, csmithHeaders}); v.Verdict {
			case "verified":
			case "unknown": // it has too many events
				undecided++
			default:
				save(t, fmt.Sprintf("csmith%d.c", seed), program)
				t.Errorf("csmith, seed %d, %s: %v\n%s", seed, level, v, o.out)
			}
		}
		checked++
	}
	t.Logf("%d programs checked, %d that do not end in time; %d checks undecided", checked, late, undecided)
	if checked < *csmithCount/2 || undecided > checked/5 {
		t.Errorf("only %d programs of %d ended, %d checks of four for each are undecided", checked, *csmithCount, undecided)
	}
}

// TestCsmithWrong has ravel find a checksum that is not that of the program.
func TestCsmithWrong(t *testing.T) {
	needTools(t, "csmith", "clang")
	dir := t.TempDir()
	run(t, dir, time.Minute, "csmith", append([]string{"-s", "6", "-o", "p.c"}, csmithOptions...)...)
	text, err := os.ReadFile(filepath.Join(dir, "p.c"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "r.c", asserting(string(text), "12345678"))
	if v, o := check(t, dir, "r.c", nil, []string{csmithHeaders}); len(v.Errors) != 1 || !strings.Contains(v.Errors[0].Kind, "assert") {
		t.Errorf("%v\n%s", v, o.out)
	}
}

// asserting makes a program assert its checksum instead of printing it.
func asserting(program, sum string) string {
	program = strings.Replace(program, "platform_main_end(crc32", "check_sum(crc32", 1)
	return strings.Replace(program, "#include \"csmith.h\"\n",
		"#include \"csmith.h\"\n#include <assert.h>\nstatic void check_sum(uint32_t sum, int flag) { assert(sum == 0x"+sum+"u); }\n", 1)
}
