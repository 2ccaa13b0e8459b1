package diy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/brute"
	frontend "ravel/internal/frontend/litmus"
)

const corpus = "../../testdata/litmus"

// A row is a line of testdata/litmus/expected.tsv.
type row struct{ file, model, verdict, source string }

func corpusRows(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' || strings.HasPrefix(line, "file\t") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || f[2] != "allowed" && f[2] != "forbidden" || f[3] == "" {
			t.Fatalf("no row: %q", line)
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3]})
	}
	return rows
}

// cycleOf is the cycle that a test of the corpus was made from, or nil.
func cycleOf(t *testing.T, file string, text []byte) *Cycle {
	t.Helper()
	m := orig.FindSubmatch(text)
	if m == nil {
		return nil
	}
	dir, _, _ := strings.Cut(file, "/")
	arch := map[string]*Arch{
		"AArch64": AArch64, "AArch64-mixed": AArch64, "ARM": ARM, "PPC": PPC, "X86": X86, "X86_64": X86_64, "RISCV": RISCV, "C11": C, "LKMM": LKMM, "LISA": LISA, "Java": Java,
	}[dir]
	c, err := Parse(arch, string(m[1]))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// TestCorpus runs our own tests: the engine finds the outcome iff it is allowed. The verdict is asked for in other ways too, where
// there are some: brute force, the argument about critical cycles, the naive axioms of the kernel's model, and those of jam21 for plain accesses.
func TestCorpus(t *testing.T) {
	listed := map[string]bool{}
	index, err := frontend.Files(filepath.Join(corpus, "@all"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range index {
		listed[f] = true
	}
	count, byBrute, byCycle, byAxioms, byPlain := map[string]int{}, 0, 0, 0, 0
	files := map[string]bool{}
	for _, r := range corpusRows(t) {
		name := filepath.Join(corpus, r.file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !listed[name] {
			t.Errorf("%s is not in @all", r.file)
		}
		files[name] = true
		want := r.verdict == "allowed"
		dir, _, _ := strings.Cut(r.file, "/")
		count[dir]++
		if got := allowed(t, r.file, string(text), r.model); got != want {
			t.Errorf("%s under %s: allowed %v, but %s\n%s", r.file, r.model, got, r.source, text)
		}
		if r.model == "jam21" {
			test, err := frontend.Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := jam21Plain(test); ok {
				byPlain++
				if got != want {
					t.Errorf("%s: allowed by what jam21 says of plain accesses: %v", r.file, got)
				}
			}
		}
		c := cycleOf(t, r.file, text)
		if c == nil {
			continue
		}
		again, err := c.Litmus()
		if *update {
			if err := os.WriteFile(name, []byte(again), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if err != nil || again != string(text) {
			t.Errorf("%s: its cycle makes another text (-update writes it): %v\n%s", r.file, err, again)
		}
		m := brute.Model(r.model)
		switch m {
		case brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV:
			m = m.Raw()
		case brute.TSO, brute.RC11:
		default:
			m = ""
		}
		if m != "" {
			if got, ok, err := bruteAllowed(c, m); ok {
				byBrute++
				if err != nil || got != want {
					t.Errorf("%s under %s: brute force says allowed %v, %v", r.file, m, got, err)
				}
			}
		}
		if got, ok := criticalAllowed(c, r.model); ok {
			byCycle++
			if got != want {
				t.Errorf("%s: the critical cycle is allowed under %s: %v", r.file, r.model, got)
			}
		}
		if r.model == "lkmm" {
			if got, ok := lkmmAllowed(c); ok {
				byAxioms++
				if got != want {
					t.Errorf("%s: allowed by the axioms of lkmm: %v", r.file, got)
				}
			}
		}
	}
	for f := range listed {
		if !files[f] {
			t.Errorf("%s has no row in expected.tsv", f)
		}
	}
	if len(files) < 400 || byBrute < 300 || byCycle < 150 || byAxioms < 50 || byPlain < 40 {
		t.Errorf("%d tests; %d by brute force, %d by critical cycles, %d by axioms, %d plain Java", len(files), byBrute, byCycle, byAxioms, byPlain)
	}
	t.Logf("%v; %d by brute force, %d by critical cycles, %d by axioms, %d plain Java", count, byBrute, byCycle, byAxioms, byPlain)
}
