package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/model"
)

func newModels() *cobra.Command {
	var explain bool
	var mapping string
	cmd := &cobra.Command{
		Use:   "models [NAME|FILE.cat]",
		Short: "List the memory models, or print the definition of one",
		Long: `List the memory models, or print one: its definition with its source, and the text of the model in cat.

With --explain, say how programs are explored under a model in cat, one of ours or a file of yours: which
constraints are checked at each step and which on complete executions, and whether the model is safe for exploration.`,
		Example: "  ravel models\n  ravel models rc11\n  ravel models my.cat --explain",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--mapping", mapping, "c11", "raw"); err != nil {
				return err
			}
			switch {
			case len(args) == 0 && explain:
				return fmt.Errorf("--explain needs a model: ravel models rc11 --explain")
			case len(args) == 0:
				return listModels()
			case explain:
				m, err := loadCat(args[0], catmodel.Options{Raw: mapping == "raw"})
				if err != nil {
					return err
				}
				fmt.Print(m.Explain())
				return nil
			}
			return printModel(args[0])
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "say how programs are explored under the model")
	cmd.Flags().StringVar(&mapping, "mapping", "c11", "with --explain: c11 or raw, as for ravel check")
	return cmd
}

func listModels() error {
	for _, name := range model.Names() {
		m, err := model.Get(name, model.Options{})
		if err != nil {
			return err
		}
		title, _, _ := strings.Cut(m.Doc(), "\n")
		fmt.Printf("%-12s %s\n", name, title)
	}
	for _, name := range slices.Sorted(maps.Keys(statesDocs)) {
		title, _, _ := strings.Cut(statesDocs[name], "\n")
		fmt.Printf("%-12s %s\n", name, title)
	}
	for _, name := range cat.Names() {
		if slices.Contains(model.Names(), name) {
			continue
		}
		m, err := cat.Embedded(name)
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %s (in cat only)\n", name, m.File.Title)
	}
	return nil
}

// printModel prints the definition of a model and its text in cat.
func printModel(name string) error {
	if text := statesDocs[name]; text != "" {
		fmt.Println(text)
		return nil
	}
	if catmodel.IsFile(name) {
		m, err := loadCat(name, catmodel.Options{})
		if err != nil {
			return err
		}
		fmt.Print(m.File.File.Src.Text)
		return nil
	}
	native, err := getModel(name, model.Options{})
	inCat := slices.Contains(cat.Names(), name)
	if err != nil && !inCat {
		return err
	}
	if err == nil {
		fmt.Println(native.Doc())
	}
	if inCat {
		if native != nil {
			fmt.Print("\nIn cat:\n\n")
		}
		text, err := cat.Text(name)
		if err != nil {
			return err
		}
		fmt.Print(text)
	}
	return nil
}

// loadCat returns a model in cat: a file, or one of ours by its name.
func loadCat(name string, opts catmodel.Options) (*catmodel.Model, error) {
	if catmodel.IsFile(name) {
		return catmodel.Load(name, opts)
	}
	if !slices.Contains(cat.Names(), name) {
		msg := fmt.Sprintf("no model %q in cat", name)
		if s := closest(name, cat.Names()); s != "" {
			msg += fmt.Sprintf(": did you mean %s?", s)
		}
		return nil, fmt.Errorf("%s", msg)
	}
	return catmodel.Embedded(name, opts)
}

// getModel returns a model, or an error that suggests one.
func getModel(name string, opts model.Options) (model.Model, error) {
	if catmodel.IsFile(name) {
		m, err := catmodel.Load(name, catmodel.Options{Raw: opts.Raw})
		if err != nil {
			return nil, err
		}
		return m.Explorer(), nil
	}
	m, err := model.Get(name, opts)
	if statesDocs[name] != "" || name == "all" {
		return nil, fmt.Errorf("--model %s is for --engine states", name)
	}
	if err != nil && !slices.Contains(model.Names(), name) {
		if s := closest(name, model.Names()); s != "" {
			return nil, fmt.Errorf("unknown memory model %q: did you mean %s?", name, s)
		}
	}
	return m, err
}
