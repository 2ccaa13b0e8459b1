package llvm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestCsmith compares lowered with native code on random programs. It runs where csmith is
// installed and CSMITH says how many programs to try (CSMITH_SEED is the first seed).
func TestCsmith(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("CSMITH"))
	if n == 0 {
		t.Skip("CSMITH=N tries N random programs")
	}
	first, _ := strconv.Atoi(os.Getenv("CSMITH_SEED"))
	clangs := allClangs(t)
	dir := t.TempDir()
	ran := 0
	for seed := first; seed < first+n; seed++ {
		src, exe := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
		gen := exec.Command("csmith", "--seed", fmt.Sprint(seed), "--max-funcs", "4", "--max-block-depth", "3")
		gen.Dir = dir // it writes platform.info
		text, err := gen.Output()
		if err != nil {
			t.Skip(err)
		}
		os.WriteFile(src, text, 0o666)
		clang := clangs[seed%len(clangs)]
		flags := []string{"-w", "-I/usr/include/csmith", []string{"-O0", "-O1", "-O3", "-O2"}[seed/len(clangs)%4]}
		if out, err := exec.Command(clang, append(flags, "-o", exe, src)...).CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		out, err := exec.Command("timeout", "2", exe).Output()
		if err != nil {
			continue
		}
		p, err := Load([]string{src}, Options{Clang: clang, Flags: flags})
		if err != nil {
			t.Fatalf("seed %d %s %v: %v", seed, clang, flags, err)
		}
		if err := p.Check(); err != nil {
			t.Errorf("seed %d %s %v: %v", seed, clang, flags, err)
		}
		_, sum, err := runPrint(p)
		if err != nil && err.Error() == "too many steps" {
			continue
		}
		ran++
		if want := fmt.Appendf(nil, "checksum = %X\n", sum); err != nil || !bytes.Equal(out, want) {
			t.Errorf("seed %d %s %v: native %q, lowered %q %v", seed, clang, flags, out, want, err)
		}
	}
	t.Logf("%d programs compared", ran)
}
