package justify

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
)

// FuzzAnalyse: whatever the parser takes is decided, refused with an error, or given up in time; nothing panics.
func FuzzAnalyse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(corpus, "*.litmus"))
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
		for _, o := range []Options{{}, {Rules: AspinallSevcik, Identity: Free}, {Model: "jam21"}} {
			o.Unroll, o.Timeout = 1, 100*time.Millisecond
			a, err := Analyse(test, o)
			if err != nil {
				continue
			}
			for _, out := range a.Outcomes {
				a.Justification(out)
			}
			if _, err := a.Allows(test.Cond.Prop); err != nil {
				t.Log(err)
			}
		}
	})
}
