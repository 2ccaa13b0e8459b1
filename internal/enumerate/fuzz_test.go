package enumerate

import (
	"context"
	"os"
	"testing"
	"time"

	frontend "ravel/internal/frontend/litmus"
)

// FuzzRun runs whatever the front end reads: no input makes the enumeration panic, or go on when its context is done.
func FuzzRun(f *testing.F) {
	files, err := frontend.Files("../../testdata/litmus")
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		if i%7 == 0 {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	models := map[string]*Model{"sc": load(f, "sc")}
	f.Fuzz(func(t *testing.T, text string) {
		test, err := frontend.Parse("fuzz.litmus", []byte(text))
		if err != nil || len(text) > 2000 {
			return
		}
		name := Default(test)
		if name == "" {
			name = "sc"
		}
		if models[name] == nil {
			models[name] = load(t, name)
		}
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		if r, err := Run(test, models[name], Options{Ctx: ctx}); err == nil {
			_ = r.Holds()
		}
	})
}
