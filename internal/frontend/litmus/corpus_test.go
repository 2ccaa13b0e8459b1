package litmus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/litmus"
)

// corpus is the litmus data of the field; tests that need it are skipped where it is absent.
const corpus = "../../../../shared/litmus"

type row struct {
	file, scope, model, holds, observation string
	states                                 int // -1: not known
}

func corpusRows(t testing.TB) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, "expected.tsv"))
	if err != nil {
		t.Skipf("the litmus data is not here: %v", err)
	}
	var rows []row
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) < 8 {
			continue
		}
		n, err := strconv.Atoi(f[7])
		if err != nil {
			n = -1
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3], f[4], n})
	}
	return rows
}

func readCorpus(t testing.TB, r row) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(corpus, r.file))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestCorpus reads every core file and has every system file refused by the name of a feature.
func TestCorpus(t *testing.T) {
	type count struct{ core, parsed, system, refused, read int }
	counts := map[string]*count{}
	features := map[string]int{}
	for _, r := range corpusRows(t) {
		folder := filepath.Dir(r.file)
		c := counts[folder]
		if c == nil {
			c = &count{}
			counts[folder] = c
		}
		test, err := Parse(r.file, readCorpus(t, r))
		if err == nil {
			checkTest(t, test)
		}
		var e *litmus.Error
		refused := errors.As(err, &e) && e.Feature != ""
		switch {
		case r.scope == "core":
			c.core++
			if err == nil {
				c.parsed++
			} else if coreNeeds[r.file] == "" || !refused || e.Feature != coreNeeds[r.file] {
				t.Errorf("core: %v", err)
			}
		default:
			c.system++
			switch {
			case refused:
				c.refused++
				features[e.Feature]++
			case err != nil:
				t.Errorf("system: %v", err)
			case ordinary(r.file):
				c.read++
			default:
				t.Errorf("system: %s is read", r.file)
			}
		}
	}
	var names []string
	for n := range counts {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		c := counts[n]
		t.Logf("%-8s core %4d of %4d read; system %3d of %3d refused, %d with nothing of the system level read", n, c.parsed, c.core, c.refused, c.system, c.read)
	}
	names = nil
	for f, n := range features {
		names = append(names, fmt.Sprintf("%4d %s", n, f))
	}
	sort.Strings(names)
	t.Logf("features refused:\n%s", strings.Join(names, "\n"))
}

// coreNeeds are files that the data calls core though they need a feature of the system level.
var coreNeeds = map[string]string{
	"AArch64/LDR-STZG1.litmus": featTags, // STZG, an address with a tag that memory does not have
	"AArch64/S23.litmus":       featCode, // stores an instruction over another one
}

// ordinary reports whether a file that the data calls system has nothing of the system level in
// it: the Z6 tests, which a search for vector registers (Z6) finds, two mixed-size ones, and those that call subroutines.
func ordinary(file string) bool {
	base := filepath.Base(file)
	return strings.HasPrefix(base, "Z6.") || slices.Contains(strings.Fields("A104 A159 A250 AK002 S01~2 S06 S12 S14"), strings.TrimSuffix(base, ".litmus"))
}
