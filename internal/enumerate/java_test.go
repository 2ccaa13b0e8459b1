package enumerate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/frontend/litmus"
)

// TestJavaColumns compares the verdicts of Java's models with those of herd, which drops executions in which a value
// depends on itself. Some of the outcomes that are forbidden here are seen on x86: SB+rfis, jmt-fig5.
func TestJavaColumns(t *testing.T) {
	const dir = "../../testdata/java"
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	tests := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head == nil {
			head = f
			continue
		}
		for i, name := range head {
			if name != "jam21" && name != "jam19" || f[i] != "yes" && f[i] != "no" {
				continue
			}
			tests++
			test, want := f[0], f[i] == "yes"
			t.Run(test+" "+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(dir, test+".litmus")
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				lt, err := litmus.Parse(file, text)
				if err != nil {
					t.Fatal(err)
				}
				m, err := Load(name)
				if err != nil {
					t.Fatal(err)
				}
				found := false
				_, err = Run(lt, m, Options{OnExecution: func(x *Execution) bool {
					found = x.Positive && !x.ThinAir
					return !found
				}})
				if err != nil {
					t.Fatal(err)
				}
				if found != want {
					t.Errorf("allowed %v, want %v", found, want)
				}
			})
		}
	}
	if tests < 150 {
		t.Errorf("only %d verdicts in the table", tests)
	}
}
