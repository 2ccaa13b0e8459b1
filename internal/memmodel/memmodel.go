// Package memmodel is the registry of memory models: one descriptor per model, which says all that commands and engines ask about it by its name.
//
// A native model is its checker in package model, its twin in cat, and a row in the table here. A model in cat is one file in package cat's folder models: its
// descriptor is made from the file, and every command knows it. A row for it is needed only for what a file can't say, such as other names.
package memmodel

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"ravel/internal/arch"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/model"
	"ravel/internal/spell"
)

// A Model describes a memory model.
type Model struct {
	Name    string
	Aliases []string
	// Doc is its definition with its source. The first line is a title.
	Doc string
	// Native reports whether package model has a checker.
	Native bool
	// Cat is the name of its text in cat, "" if there is none, and Bell that of the file that runs before it.
	Cat, Bell string
	// Archs are the processors that it is about, nil for a model of a language or of all.
	Archs []arch.Name
	// Language is the language that it is about, "" for a model of processors or of all.
	Language Language
	// Weaker are models that allow all that this one allows; those weaker than these are not listed.
	Weaker []string
	// Default are the dialects whose litmus tests usually run under it.
	Default []arch.Name

	states    bool // the explicit-state engine has it
	justifies bool // an execution is allowed because of others, by the rules of package justify
	selects   bool // which executions of a litmus test it allows is not decided by cat alone
}

// A Language is what programs and tests are written in.
type Language string

const (
	C      Language = "C"
	Kernel Language = "the Linux kernel's C"
	Java   Language = "Java"
)

// An Engine is a way to run programs or tests under a model.
type Engine string

const (
	Graphs Engine = "graphs" // ravel check
	States Engine = "states" // ravel check --engine states
	Litmus Engine = "litmus" // ravel litmus, ravel compare
	JMM    Engine = "jmm"    // ravel jmm
)

// Engines are all engines.
var Engines = []Engine{Graphs, States, Litmus, JMM}

// Title is the first line of Doc.
func (m *Model) Title() string {
	title, _, _ := strings.Cut(m.Doc, "\n")
	return title
}

// Selects reports whether the model chooses between executions that satisfy its axioms in cat.
func (m *Model) Selects() bool { return m.selects }

// Engines returns the engines that run the model.
func (m *Model) Engines() (list []Engine) {
	for _, e := range Engines {
		if m.Runs(e) {
			list = append(list, e)
		}
	}
	return list
}

// Runs reports whether an engine runs the model.
func (m *Model) Runs(e Engine) bool {
	switch e {
	case Graphs:
		return m.Native || m.Cat != "" && !m.justifies && m.compiles()
	case States:
		return m.states
	case Litmus:
		return m.Cat != "" && !m.justifies
	}
	return m.Language == Java || m.Language == "" && m.Archs == nil
}

// compiles reports whether programs have a meaning under the model: if it is about a processor, C11 is compiled for it.
func (m *Model) compiles() bool { return len(m.Archs) == 0 || arch.Of(m.Archs[0]).C11 != nil }

// Refusal says why an engine does not run the model, "" if it does.
func (m *Model) Refusal(e Engine) string {
	switch {
	case m.Runs(e):
		return ""
	case e == States:
		return "explicit states are for models that are store buffers: " + strings.Join(Names(States), ", ")
	case e == JMM:
		return "it is no model of Java; those are " + strings.Join(Names(JMM), ", ") + ", or a FILE.cat"
	case m.justifies:
		return "it relates several executions of a test in Java: ravel jmm runs it; jam21 is a model of Java's access modes for programs and litmus tests"
	case m.Cat == "":
		return "it has no axioms: ravel check --engine states runs it"
	}
	return fmt.Sprintf("programs are not compiled for %s: ravel litmus runs its tests", arch.Of(m.Archs[0]).Title)
}

// All returns the models, the strongest of each kind first.
func All() []*Model { return all() }

var all = sync.OnceValue(func() []*Model {
	list := slices.Clone(table)
	for _, name := range cat.Names() {
		if i := slices.IndexFunc(list, func(m *Model) bool { return m.Name == name }); i < 0 {
			list = append(list, &Model{Name: name, Cat: name})
		}
	}
	native := model.Names()
	for _, m := range list {
		m.Native = slices.Contains(native, m.Name)
		if m.Cat == "" && slices.Contains(cat.Names(), m.Name) {
			m.Cat = m.Name
		}
		if m.Doc == "" {
			m.describe()
		}
		for _, d := range arch.Dialects {
			if d.Model == m.Name || d.KernelModel == m.Name {
				m.Default = append(m.Default, d.Name)
			}
		}
	}
	return list
})

// describe sets what the checker or the text in cat says.
func (m *Model) describe() {
	if m.Native {
		checker, err := model.Get(m.Name, model.Options{})
		if err != nil {
			panic(err)
		}
		m.Doc = checker.Doc()
		return
	}
	name, title, err := cat.Heading(m.Cat)
	if err != nil {
		panic(err) // tests load all embedded models
	}
	m.Doc = title
	if d := arch.Of(arch.Name(name)); d != nil && d.Processor && m.Archs == nil {
		m.Archs = []arch.Name{d.Name}
	}
}

// Names returns the names of the models that an engine runs.
func Names(e Engine) []string {
	var names []string
	for _, m := range All() {
		if m.Runs(e) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Find returns the model with a name or alias, whatever the case of its letters. Its error suggests one.
func Find(name string) (*Model, error) {
	for _, m := range All() {
		if strings.EqualFold(m.Name, name) || slices.ContainsFunc(m.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return m, nil
		}
	}
	var words []string
	for _, m := range All() {
		words = append(append(words, m.Name), m.Aliases...)
	}
	msg := fmt.Sprintf("unknown memory model %q", name)
	if s := spell.Closest(strings.ToLower(name), words); s != "" {
		return nil, fmt.Errorf("%s: did you mean %s?", msg, s)
	}
	return nil, fmt.Errorf("%s: ravel models lists them; a model of yours is a FILE.cat", msg)
}

// For returns the model with a name if an engine runs it; otherwise its error says why not.
func For(e Engine, name string) (*Model, error) {
	m, err := Find(name)
	if err != nil {
		return nil, err
	}
	if why := m.Refusal(e); why != "" {
		return nil, fmt.Errorf("model %s is not for %s: %s", m.Name, commands[e], why)
	}
	return m, nil
}

var commands = map[Engine]string{Graphs: "ravel check --engine graphs", States: "ravel check --engine states", Litmus: "ravel litmus and ravel compare", JMM: "ravel jmm"}

// Checker returns the model that --model of ravel check names: a native one, one of ours in cat, or a file.
func Checker(name string, opts model.Options) (model.Model, error) {
	if catmodel.IsFile(name) {
		m, err := catmodel.Load(name, catmodel.Options{Raw: opts.Raw})
		if err != nil {
			return nil, err
		}
		if twin := twinOf(m.File); twin != "" {
			return model.Get(twin, opts)
		}
		return m.Explorer(), model.CheckOptions(m.Name, opts)
	}
	m, err := For(Graphs, name)
	if err != nil {
		return nil, err
	}
	if m.Native {
		return model.Get(m.Name, opts)
	}
	f, err := cat.Embedded(m.Cat)
	if err != nil {
		return nil, err
	}
	c, err := catmodel.New(m.Name, f, catmodel.Options{Raw: opts.Raw})
	if err != nil {
		return nil, err
	}
	return c.Explorer(), model.CheckOptions(m.Name, opts)
}

// twinOf returns the native model of Java that f is the text of, "" if there is none. Whether executions with cycles in po ∪ rf are out of thin air does not follow from the text,
// so the engine explores these under native models only.
func twinOf(f *cat.Model) string {
	for _, m := range All() {
		if !m.Native || m.Language != Java {
			continue
		}
		if own, err := cat.Embedded(m.Cat); err == nil && f.Same(own) {
			return m.Name
		}
	}
	return ""
}

// Stronger reports whether the model called a is known to be stronger than the one called b: it allows less.
func Stronger(a, b string) bool {
	m, err := Find(a)
	return err == nil && slices.ContainsFunc(m.Weaker, func(c string) bool { return strings.EqualFold(c, canonical(b)) || Stronger(c, b) })
}

// Strongest returns those of the models called names than which none of names is stronger.
func Strongest(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.ContainsFunc(names, func(m string) bool { return Stronger(m, n) }) {
			out = append(out, n)
		}
	}
	return out
}

// canonical returns the name of the model that has name as its name or alias, or name itself.
func canonical(name string) string {
	if m, err := Find(name); err == nil {
		return m.Name
	}
	return name
}
