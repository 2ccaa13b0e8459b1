package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDefinesMain(t *testing.T) {
	for text, want := range map[string]bool{
		"int main(void) { return 0; }":                       true,
		"int\nmain(int argc, char **argv)\n{\n}":             true,
		"static int x; int main() {}":                        true,
		"auto main() -> int { }":                             true,
		"fn main() {\n}":                                     true,
		"pub fn main() -> Result<(), E> {\n}":                true,
		"// int main(void) {}\nint f(void);":                 false,
		"/* int main(void) {\n} */":                          false,
		"int main(void);":                                    false,
		"int domain(void) { }":                               false,
		"void f(void) { main(); }":                           false,
		"const char *s = \"int main() {\";\nint f(void) { }": false,
	} {
		if got := DefinesMain(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPrograms finds the programs that files are part of.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ravel.toml":                   "[[target]]\nname = \"both\"\nfiles = [\"one.c\", \"lib.c\"]\n[[target]]\nname = \"folder\"\nfiles = [\"src\"]\n[[target]]\nname = \"rust\"\nfiles = [\"r/Cargo.toml\"]\n",
		"one.c":                        "int main(void) { return 0; }\n",
		"lib.c":                        "int f(void) { return 0; }\n",
		"src/a.c":                      "int main(void) { return 0; }\n",
		"src/a.h":                      "",
		"r/Cargo.toml":                 "",
		"r/src/main.rs":                "",
		"cm/build/" + CommandsFile:     `[{"directory": "..", "file": "m1.c", "command": "cc -c m1.c"}, {"directory": "..", "file": "m2.c", "command": "cc -c m2.c"}, {"directory": "..", "file": "l.c", "command": "cc -c l.c"}]`,
		"cm/m1.c":                      "int main(void) { return 0; }\n",
		"cm/m2.c":                      "int main(void) { return 1; }\n",
		"cm/l.c":                       "int f;\n",
		"cm/deep/below/nothing_here.c": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{"one.c": "both", "lib.c": "both", "src/a.c": "folder", "src/a.h": "both folder", "r/src/main.rs": "rust", "other.c": ""} {
		targets, err := TargetsOf(filepath.Join(dir, file), dir)
		var names []string
		for _, x := range targets {
			names = append(names, x.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s is part of %q, want %q (%v)", file, got, want, err)
		}
	}
	database := Above(filepath.Join(dir, "cm/deep/below"), dir, CommandsFile, "build/"+CommandsFile)
	if database != filepath.Join(dir, "cm/build", CommandsFile) {
		t.Fatalf("found %q", database)
	}
	if below := Above(filepath.Join(dir, "cm/deep/below"), filepath.Join(dir, "cm/deep"), CommandsFile, "build/"+CommandsFile); below != "" {
		t.Errorf("found %q above the top", below)
	}
	for file, want := range map[string][]string{"cm/m1.c": {"m1.c l.c"}, "cm/l.c": {"m1.c l.c", "m2.c l.c"}, "cm/x.h": {"m1.c l.c", "m2.c l.c"}, "cm/x.c": nil} {
		programs, err := ProgramsOf(database, filepath.Join(dir, file))
		var got []string
		for _, p := range programs {
			for i := range p {
				p[i] = filepath.Base(p[i])
			}
			got = append(got, strings.Join(p, " "))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is part of %q, want %q (%v)", file, got, want, err)
		}
	}
}
