package memmodel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/cat"
	"ravel/internal/model"
)

// Every native model and every text in cat has a descriptor, no name is taken twice, and each model runs somewhere.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		for _, n := range append(m.Aliases, m.Name) {
			if seen[n] || n != strings.ToLower(n) {
				t.Errorf("the name %s is taken, or not in small letters", n)
			}
			seen[n] = true
			if found, err := Find(strings.ToUpper(n)); err != nil || found != m {
				t.Errorf("%s: %v, %v", n, found, err)
			}
		}
		if m.Title() == "" || len(m.Engines()) == 0 {
			t.Errorf("%s: no title, or nothing runs it", m.Name)
		}
		for _, e := range Engines {
			if (m.Refusal(e) == "") != m.Runs(e) {
				t.Errorf("%s, %s: runs %t, but %q", m.Name, e, m.Runs(e), m.Refusal(e))
			}
		}
	}
	for _, name := range append(model.Names(), cat.Names()...) {
		if !seen[name] {
			t.Errorf("no descriptor for %s", name)
		}
	}
}

// A model that the engine of graphs is said to run can be loaded for it.
func TestChecker(t *testing.T) {
	for _, name := range Names(Graphs) {
		m, err := Checker(name, model.Options{})
		if err != nil || m.Name() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	for name, want := range map[string]string{
		"x86": "tso", "TSO": "tso", "arm64": "armv8", "arm": "armv7", "ppc": "power", "c11": "c11", "rc11.cat": "rc11.cat",
	} {
		if m, err := Checker(name, model.Options{}); err != nil || m.Name() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for name, want := range map[string]string{
		"bpf": "not compiled for BPF", "jls04": "ravel jmm runs it", "lmo": "--engine states runs it", "rc1": "did you mean rc11?", "nothing": "ravel models lists them",
	} {
		if _, err := Checker(name, model.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"c11", "rc11.cat", "rc11"} {
		if _, err := Checker(name, model.Options{Variants: []string{"direct"}}); err == nil {
			t.Errorf("%s has no variants", name)
		}
	}
}

func TestStrongest(t *testing.T) {
	for _, test := range []struct{ names, want []string }{
		{[]string{"power", "armv8", "imm"}, []string{"power", "armv8"}},
		{[]string{"lkmm-2018", "lkmm"}, []string{"lkmm"}},
		{[]string{"ra", "x86", "lkmm", "pso"}, []string{"x86"}},
		{[]string{"mine.cat", "rc11"}, []string{"mine.cat", "rc11"}},
		{nil, nil},
	} {
		if got := Strongest(test.names); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.names, got, test.want)
		}
	}
}

// The weaker models are there, and no model is stronger than itself.
func TestWeaker(t *testing.T) {
	for _, m := range All() {
		for _, b := range m.Weaker {
			if w, err := Find(b); err != nil || w.Name != b {
				t.Errorf("%s: there is no model %s", m.Name, b)
			}
		}
		if Stronger(m.Name, m.Name) {
			t.Errorf("%s is stronger than itself", m.Name)
		}
	}
}

// TestTwin checks that a copy of one of Java's models in cat runs by the native checker, and that nothing else does.
func TestTwin(t *testing.T) {
	text, err := os.ReadFile("../cat/models/jam21.cat")
	if err != nil {
		t.Fatal(err)
	}
	lib, err := os.ReadFile("../cat/lib/java.cat")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, model, java string
		native            bool
	}{
		{"a copy", string(text), "", true},
		{"another comment", string(text) + "(* mine *)\n", "", true},
		{"another constraint", string(text) + "acyclic po | rf as mine\n", "", false},
		{"a copy beside its library", string(text), string(lib), true},
		{"another library", string(text), string(lib) + "acyclic po | rf as mine\n", false},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "mine.cat")
		write := func(name, text string) {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(file, test.model)
		if test.java != "" {
			write(filepath.Join(dir, "java.cat"), test.java)
		}
		m, err := Checker(file, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if native := m.Name() == "jam21"; native != test.native {
			t.Errorf("%s: %s, native %v", test.name, m.Name(), native)
		}
	}
}
