package jmm

import (
	"os"
	"path/filepath"
	"testing"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
)

// FuzzTranslate: every test in Java becomes a program in Java and one for each target, or is refused.
func FuzzTranslate(f *testing.F) {
	files, err := filepath.Glob("../../testdata/java/*.litmus")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		test, err := frontend.Parse("fuzz.litmus", src)
		if err != nil || test.Arch != litmus.Java {
			return
		}
		if _, err := Harness(test); err != nil {
			t.Log(err)
		}
		for _, target := range Targets() {
			if out, err := Translate(test, usual(target)); err == nil {
				Listing(out)
			}
		}
	})
}
