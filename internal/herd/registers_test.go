package herd

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRegisters compares two ways to know what depends on what: the engine follows registers itself, and a model that looks
// inside instructions (testdata/registers.cat) computes it from their events. It asserts that both say the same, in our own tests of
// all processors and in those of the field.
func TestRegisters(t *testing.T) {
	ran := 0
	for _, arch := range []string{"AArch64", "ARM", "PPC", "X86", "X86_64", "RISCV"} {
		for _, dir := range []string{"../../testdata/litmus", corpus} {
			files, err := filepath.Glob(filepath.Join(dir, arch, "*.litmus"))
			if err != nil {
				t.Fatal(err)
			}
			err = Run(t.Context(), Files(files...), Config{Model: "testdata/registers.cat", Workers: 1}, func(e *Entry) error {
				switch {
				case e.Err == nil:
					ran++
				case !strings.Contains(e.Err.Error(), "not supported"):
					t.Errorf("%s: %v", e.File, e.Err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran < 600 {
		t.Errorf("only %d tests ran", ran)
	}
}

// TestComputedDependencies runs the AArch64 tests of the field under armv8 with dependencies that the model computes from
// registers. The verdicts are herd7's.
func TestComputedDependencies(t *testing.T) {
	var rows []row
	var files []string
	for _, r := range corpusRows(t) {
		if r.model == "armv8" && r.scope == "core" && strings.HasPrefix(r.file, "AArch64/") {
			rows, files = append(rows, r), append(files, filepath.Join(corpus, r.file))
		}
	}
	i := 0
	err := Run(t.Context(), Files(files...), Config{Model: "testdata/armv8-registers.cat", Workers: 1}, func(e *Entry) error {
		r := rows[i]
		i++
		if e.Err != nil {
			checkRefused(t, r, e.Err)
		} else {
			compare(t, r, e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
