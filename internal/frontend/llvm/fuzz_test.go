package llvm

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzParse looks for text that makes the parser or the lowering panic, or that lowers to a
// program which is not well-formed.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/lower/*.ll")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("f.ll", src)
		if err != nil {
			return
		}
		p, err := link([]*Module{m})
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		for _, f := range p.Funcs {
			_ = f.String()
		}
	})
}

// TestMutate exchanges tokens of the samples at random, which gets deeper than FuzzParse's
// changed bytes. MUTATE is the number of modules to try for each sample.
func TestMutate(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("MUTATE"))
	if n == 0 {
		n = 500
	}
	files, _ := filepath.Glob("testdata/lower/*.ll")
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var pool []string
	samples := map[string][]string{}
	for _, file := range files {
		b, _ := os.ReadFile(file)
		lx := lexer{src: string(b)}
		from := 0
		var toks []string
		for tok := lx.next(); tok.kind != tEOF; tok = lx.next() {
			toks = append(toks, lx.src[from:lx.off])
			from = lx.off
		}
		samples[file] = toks
		pool = append(pool, toks...)
	}
	accepted := 0
	for _, file := range files {
		for range n {
			toks := slices.Clone(samples[file])
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(toks))
				with := toks[at]
				for try := 0; try < 50 && (with == toks[at] || sigil(with) != sigil(toks[at])); try++ {
					with = pool[rng.IntN(len(pool))]
					if rng.IntN(2) == 0 {
						with = samples[file][rng.IntN(len(toks))]
					}
				}
				toks[at] = with
			}
			src := strings.Join(toks, "")
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Fatalf("%v\n%s\n%s", r, debug.Stack(), src)
					}
				}()
				m, err := Parse("f.ll", []byte(src))
				if err != nil {
					return
				}
				p, err := link([]*Module{m})
				if err != nil {
					return
				}
				accepted++
				if err := p.Check(); err != nil {
					t.Errorf("%v\n%s", err, src)
				}
			}()
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d of %d mutants accepted", accepted, n*len(files))
}

// sigil tells tokens of different kinds apart by their first byte.
func sigil(tok string) byte {
	c := strings.TrimSpace(tok)[0]
	switch {
	case '0' <= c && c <= '9':
		return '0'
	case c == 'i' || c == 'p':
		return 'i'
	case 'a' <= c && c <= 'z':
		return 'a'
	}
	return c
}
