package herd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/cat"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
)

// TestLocks runs the kernel's model with a lock.cat that does what the kernel's own file does: lock events are in no other
// set, co has no unlocks, and the model puts them there. It must agree with ours.
func TestLocks(t *testing.T) {
	dir := t.TempDir()
	copyFile := func(from, to string) {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	copyFile("testdata/lock-herd.cat", "lock.cat")
	copyFile("../cat/models/lkmm.cat", "kernel.cat")
	theirs, err := enumerate.Load(filepath.Join(dir, "kernel.cat"))
	if err != nil {
		t.Fatal(err)
	}
	bell, err := cat.Embedded("lkmm.bell")
	if err != nil {
		t.Fatal(err)
	}
	theirs.UseBell(bell)
	ours, err := enumerate.Load("lkmm")
	if err != nil {
		t.Fatal(err)
	}
	files, err := frontend.Files("../../testdata/litmus/LKMM")
	if err != nil {
		t.Fatal(err)
	}
	if more, err := frontend.Files(filepath.Join(corpus, "C-linux")); err == nil {
		files = append(files, more...)
	}
	ran := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "spin_lock") || strings.Contains(string(text), "spin_is_locked") || strings.Contains(string(text), "spin_trylock") {
			continue
		}
		test, err := frontend.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := enumerate.Run(test, ours, enumerate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := enumerate.Run(test, theirs, enumerate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ran++
		if a.Positive != b.Positive || a.Negative != b.Negative || len(a.States) != len(b.States) || flagsOf(a) != flagsOf(b) {
			t.Errorf("%s: ours %d/%d %s, with the model's own order %d/%d %s", file, a.Positive, a.Negative, flagsOf(a), b.Positive, b.Negative, flagsOf(b))
		}
	}
	if ran == 0 {
		t.Error("no tests with locks")
	}
	t.Logf("%d tests compared", ran)
}
