package cat

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestInclude checks where includes are looked for: the folder of the file, the search folders, the library.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.cat":          `include "sub/a.cat" include "cos.cat" include "c.cat" debug a debug b debug c debug fr`,
		"sub/a.cat":         `include "b.cat" let a = R`,
		"sub/b.cat":         `let b = W`,
		"other/b.cat":       `let b = R`, // not found first
		"other/c.cat":       `let c = IW`,
		"broken/w.cat":      `include "orders.cat" include "y.cat"`,
		"broken/orders.cat": `with o from map (fun r -> r) {po}`, // of what type o is shows when it runs
		"broken/x.cat":      "include \"y.cat\"",
		"broken/y.cat":      "let x = nothing\nacyclic x",
		"loop/x.cat":        `include "x.cat"`,
		"mine/cross.cat":    `let generate_cos(r) = {co}`, // before the library's
		"mine/x.cat":        `include "cos.cat" debug co`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ file, want string }{
		{"main.cat", "{4,5} {0,1,2,3} {0,1} {5->2}"},
		{"mine/x.cat", "{0->2,1->3}"},
		{"broken/x.cat", "y.cat:1:9: unbound name nothing\n  let x = nothing\n          ^\nx.cat:1:1: from here"},
		{"broken/w.cat", "y.cat:1:9: unbound name nothing"},
		{"loop/x.cat", "x.cat:1:1: includes nested too deeply"},
	} {
		m, err := Load(filepath.Join(dir, test.file), filepath.Join(dir, "other"), filepath.Join(dir, "mine"))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		p, err := Compile(m, mpVoc, Options{})
		if err == nil {
			machine := p.NewMachine()
			machine.Debug = &out
			err = machine.Run(mp(), func(*Result) bool { return true })
		}
		got := []string{}
		for line := range strings.Lines(out.String()) {
			got = append(got, strings.TrimSpace(line[strings.Index(line, ": ")+2:]))
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = strings.ReplaceAll(err.Error(), filepath.Join(dir, filepath.Dir(test.file))+"/", "")
		}
		if !strings.HasPrefix(text, test.want) {
			t.Errorf("%s: %s, want %s", test.file, text, test.want)
		}
	}
}

// TestEmbedded checks that every embedded model has a title and that its header parses.
func TestEmbedded(t *testing.T) {
	names := Names()
	if len(names) < 15 {
		t.Errorf("only %v", names)
	}
	for _, name := range names {
		m, err := Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.File.Title == "" || !strings.Contains(m.File.Src.Text, "(*") {
			t.Errorf("%s has no title or no reference", name)
		}
	}
	if _, err := Embedded("nothing"); err == nil {
		t.Error("a model called nothing")
	}
}

// TestOptions checks Skip, Given and the limits.
func TestOptions(t *testing.T) {
	text := `include "cos.cat" acyclic po | rf | co | fr as sc procedure p(x) = empty x end call p(po) as none`
	run := func(opts Options) string {
		m, err := LoadText("test.cat", text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(m, mpVoc, opts)
		if err != nil {
			return err.(*Error).Msg
		}
		out := []string{}
		if err := p.NewMachine().Run(mp(), func(r *Result) bool {
			if r.OK() {
				out = append(out, "ok")
			} else {
				out = append(out, r.Failed.Name)
			}
			return true
		}); err != nil {
			return err.(*Error).Msg
		}
		return strings.Join(out, " ")
	}
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{}, "sc"},
		{Options{Given: []string{"co"}}, "sc"},
		{Options{Skip: []string{"sc"}}, "none"},
		{Options{Skip: []string{"sc", "none"}}, "ok"},
		{Options{Skip: []string{"sc", "p"}}, "ok"},
		{Options{MaxSteps: 3}, "more than 3 steps"},
	} {
		if got := run(test.opts); got != test.want {
			t.Errorf("%+v: %s, want %s", test.opts, got, test.want)
		}
	}
	text = "with o from linearisations(M, 0) empty 0"
	if got := run(Options{MaxForks: 10}); !strings.HasSuffix(got, "more than 10 choices for o") {
		t.Error(got)
	}
}

// TestManyMachines runs one program in several goroutines; the race detector looks on.
func TestManyMachines(t *testing.T) {
	m, err := LoadText("test.cat", `include "cos.cat" let rec f s = match s with || {} -> {} || e ++ r -> f r end empty f R as e`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m, mpVoc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			machine := p.NewMachine()
			for range 50 {
				if ok, err := machine.Consistent(mp()); !ok || err != nil {
					t.Error(ok, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestHeading: what a model begins with is what the parser finds there.
func TestHeading(t *testing.T) {
	for _, model := range Names() {
		m, err := Embedded(model)
		if err != nil {
			t.Fatal(err)
		}
		name, title, err := Heading(model)
		if err != nil || name != m.File.Name || title != m.File.Title {
			t.Errorf("%s: %q %q, want %q %q, %v", model, name, title, m.File.Name, m.File.Title, err)
		}
	}
}
