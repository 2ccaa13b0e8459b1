package litmus

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/litmus"
)

var update = flag.Bool("update", false, "write golden files")

// TestOwn runs the tests of testdata one instruction after the other: their conditions hold then. They
// are our own; each dialect has those that use what the corpus of the field lacks.
func TestOwn(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.litmus")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d tests, %v", len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		test, err := Parse(name, src)
		if err != nil {
			t.Error(err)
			continue
		}
		checkTest(t, test)
		r, ok := runSC(test)
		states, pos, neg := r.outcomes()
		if !ok || r.err != nil || len(states) == 0 || !test.Cond.Holds(pos, neg) {
			t.Errorf("%s: complete %v, error %v, true %d times, false %d times; %s, states %q", name, ok, r.err, pos, neg, test.Cond, states)
		}
	}
}

// golden compares text with a file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs; run with -update and look at the change. Now:\n%s", name, text)
	}
}

// TestGolden compares the micro code of some tests of each dialect.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.golden")
	if *update && len(files) == 0 {
		files, _ = filepath.Glob("testdata/*/*.litmus")
		for i := range files {
			files[i] = strings.TrimSuffix(files[i], "litmus") + "golden"
		}
	}
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, name := range files {
		src, err := os.ReadFile(strings.TrimSuffix(name, "golden") + "litmus")
		if err != nil {
			t.Fatal(err)
		}
		test, err := Parse(filepath.Base(name), src)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, test.String())
	}
}

// TestErrors compares the messages for what is wrong: the tests of errors.txt are separated by lines of dashes.
func TestErrors(t *testing.T) {
	src, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for part := range strings.SplitSeq(string(src), "----\n") {
		_, err := Parse("t.litmus", []byte(part))
		var e *litmus.Error
		if !errors.As(err, &e) {
			t.Errorf("no error: %v\n%s", err, part)
			continue
		}
		b.WriteString(e.Error() + "\n")
		if e.Feature != "" {
			b.WriteString("feature: " + e.Feature + "\n")
		}
	}
	golden(t, "testdata/errors.golden", b.String())
}

// TestFiles expands a folder, an index and a file.
func TestFiles(t *testing.T) {
	all, err := Files("testdata/@all")
	if err != nil {
		t.Fatal(err)
	}
	arm, _ := filepath.Glob("testdata/AArch64/*.litmus")
	x86, _ := Files("testdata/X86")
	if len(x86) == 0 || len(all) != len(arm)+1+len(x86) || all[len(arm)] != "testdata/Java/SB.litmus" {
		t.Errorf("%d files: %v", len(all), all)
	}
	dir := t.TempDir()
	loop := filepath.Join(dir, "@all")
	if err := os.WriteFile(loop, []byte("\n@all\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{loop, filepath.Join(dir, "none")} {
		if list, err := Files(name); err == nil {
			t.Errorf("%s: %v", name, list)
		}
	}
}

// TestMutants drops, doubles and swaps pieces of our tests: no panic, no endless loop.
func TestMutants(t *testing.T) {
	files, _ := Files("testdata")
	mutants := 300
	if testing.Short() {
		mutants = 10
	}
	n := uint32(1)
	rnd := func(k int) int {
		n = n*1664525 + 1013904223
		return int(n>>8) % max(k, 1)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for range mutants {
			m := append([]byte{}, src...)
			for k := 1 + rnd(3); k > 0 && len(m) > 0; k-- {
				i, j := rnd(len(m)), rnd(len(m))
				k := min(i+1+rnd(8), len(m))
				switch rnd(4) {
				case 0:
					m = append(m[:i:i], m[k:]...)
				case 1:
					m = append(m[:k:k], m[i:]...)
				case 2:
					m[i], m[j] = m[j], m[i]
				default:
					m = m[:max(i, 1)]
				}
			}
			if test, err := Parse(name, m); err == nil {
				checkTest(t, test)
			}
		}
	}
	deep := "C deep\n{}\nP0(atomic_int *x) { int r = " + strings.Repeat("atomic_fetch_add(", 150) + "x" + strings.Repeat(", 1)", 150) + "; }\n"
	if _, err := Parse("deep", []byte(deep)); err != nil && !strings.Contains(err.Error(), "nested") {
		t.Error(err)
	}
	long := "AArch64 long\n{}\nP0;\n" + strings.Repeat("MOV W0,#1;\n", 50000) + "forall true"
	if _, err := Parse("long", []byte(long)); err != nil {
		t.Error(err)
	}
}
