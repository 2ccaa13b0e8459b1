package ravel

import (
	"fmt"
	"path/filepath"

	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/memmodel"
)

// A Model describes a memory model.
type Model struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Title   string   `json:"title"`
	// Definition is the model with its source, Cat its text in the language cat with all that it includes; "" if there is none.
	Definition string `json:"definition"`
	Cat        string `json:"cat,omitempty"`
	Native     bool   `json:"native"` // there is a checker in Go
	// Language or Processors are what the model is about; a model of everything has neither.
	Language   string   `json:"language,omitempty"`
	Processors []string `json:"processors,omitempty"`
	Weaker     []string `json:"weaker,omitempty"`  // models that allow all that it allows; those weaker than these are not listed
	Default    []string `json:"default,omitempty"` // the dialects of litmus tests that usually run under it
	Engines    []Engine `json:"engines"`
	// Refusals say why other engines do not run it.
	Refusals map[Engine]string `json:"refusals,omitempty"`
}

// An Engine is a way to run programs or tests under a model.
type Engine = memmodel.Engine

// The engines.
const (
	Graphs    = memmodel.Graphs // Check: execution graphs
	States    = memmodel.States // Check: explicit states with store buffers
	LitmusRun = memmodel.Litmus // Litmus, Compare and Distinguish
	JMM       = memmodel.JMM    // ravel jmm
)

// Engines are all engines.
func Engines() []Engine { return memmodel.Engines }

// Models returns all memory models, the strongest of each kind first.
func Models() []Model {
	var list []Model
	for _, m := range memmodel.All() {
		list = append(list, describe(m))
	}
	return list
}

// FindModel returns the model with a name or alias. Its error suggests one.
func FindModel(name string) (Model, error) {
	m, err := memmodel.Find(name)
	if err != nil {
		return Model{}, err
	}
	return describe(m), nil
}

func describe(m *memmodel.Model) Model {
	out := Model{
		Name: m.Name, Aliases: m.Aliases, Title: m.Title(), Definition: m.Doc, Native: m.Native, Language: string(m.Language), Weaker: m.Weaker,
		Engines: m.Engines(), Refusals: map[Engine]string{},
	}
	for _, a := range m.Archs {
		out.Processors = append(out.Processors, string(a))
	}
	for _, a := range m.Default {
		out.Default = append(out.Default, string(a))
	}
	for _, e := range memmodel.Engines {
		if why := m.Refusal(e); why != "" {
			out.Refusals[e] = why
		}
	}
	if m.Cat != "" {
		text, err := cat.Text(m.Cat)
		if err != nil {
			panic(err) // tests load all embedded models
		}
		out.Cat = text
	}
	return out
}

// ModelNames returns the names of the models that an engine runs.
func ModelNames(e Engine) []string { return memmodel.Names(e) }

// Strongest returns those of the models called names than which none of names is known to be stronger.
func Strongest(names []string) []string { return memmodel.Strongest(names) }

// IsModelFile reports whether the name of a model is that of a file in cat.
func IsModelFile(name string) bool { return catmodel.IsFile(name) }

// ModelsInMemory makes models in cat available that are in memory only, and returns the names that Check, Litmus and the others take for them, in their order. They
// include each other and ravel's own, and nothing on the disk. free ends that.
func ModelsInMemory(files ...Source) (names []string, free func()) {
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Name] = string(f.Text)
	}
	dir, free := cat.Memory(texts)
	for _, f := range files {
		names = append(names, filepath.Join(dir, f.Name))
	}
	return names, free
}

// ModelText returns the text of a model in cat, a file or one of ours.
func ModelText(name string) (string, error) {
	m, err := loadCat(name, catmodel.Options{})
	if err != nil {
		return "", err
	}
	return m.File.File.Src.Text, nil
}

// ExplainModel says how programs are explored under a model in cat: which constraints are checked at each step and which on complete executions, and whether the
// model is safe for exploration. raw ignores access modes, as Mapping of CheckOptions does.
func ExplainModel(name string, raw bool) (string, error) {
	m, err := loadCat(name, catmodel.Options{Raw: raw})
	if err != nil {
		return "", err
	}
	return m.Explain(), nil
}

func loadCat(name string, opts catmodel.Options) (*catmodel.Model, error) {
	if catmodel.IsFile(name) {
		return catmodel.Load(name, opts)
	}
	m, err := memmodel.Find(name)
	if err != nil {
		return nil, err
	}
	if m.Cat == "" {
		return nil, fmt.Errorf("there is no model %s in cat", m.Name)
	}
	return catmodel.Embedded(m.Cat, opts)
}
