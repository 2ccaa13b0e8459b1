package llvm

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the .ir files in testdata/lower")

// TestLower compares what each testdata/lower/X.ll becomes with X.ir.
func TestLower(t *testing.T) {
	files, _ := filepath.Glob("testdata/lower/*.ll")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := Load([]string{file}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			var b strings.Builder
			for _, f := range p.Funcs {
				if f.Blocks != nil {
					b.WriteString(f.String())
				}
			}
			golden := strings.TrimSuffix(file, ".ll") + ".ir"
			if *update {
				os.WriteFile(golden, []byte(b.String()), 0o666)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
			}
		})
	}
}

// lowerText parses, links and checks text modules.
func lowerText(t *testing.T, srcs ...string) (*ir.Program, error) {
	t.Helper()
	var mods []*Module
	for i, src := range srcs {
		m, err := Parse(string(rune('a'+i))+".ll", []byte(src))
		if err != nil {
			return nil, err
		}
		mods = append(mods, m)
	}
	p, err := link(mods)
	if err == nil {
		if err := p.Check(); err != nil {
			t.Error(err)
		}
	}
	return p, err
}
