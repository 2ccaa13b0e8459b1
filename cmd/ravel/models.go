package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/memmodel"
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
	for _, m := range memmodel.All() {
		note := ""
		if !m.Native && m.Cat != "" {
			note = " (in cat only)"
		}
		fmt.Printf("%-12s %s%s\n", m.Name, m.Title(), note)
	}
	return nil
}

// printModel prints the definition of a model, what runs it, and its text in cat.
func printModel(name string) error {
	if catmodel.IsFile(name) {
		m, err := catmodel.Load(name, catmodel.Options{})
		if err != nil {
			return err
		}
		fmt.Print(m.File.File.Src.Text)
		return nil
	}
	m, err := memmodel.Find(name)
	if err != nil {
		return err
	}
	fmt.Print(m.Doc, "\n\n")
	if len(m.Aliases) > 0 {
		fmt.Println("Other names:", strings.Join(m.Aliases, ", "))
	}
	for _, e := range memmodel.Engines {
		if why := m.Refusal(e); why != "" {
			fmt.Printf("%-10s no: %s\n", e, why)
		} else {
			fmt.Printf("%-10s yes\n", e)
		}
	}
	if m.Cat == "" {
		return nil
	}
	text, err := cat.Text(m.Cat)
	if err != nil {
		return err
	}
	fmt.Print("\nIn cat:\n\n", text)
	return nil
}

// loadCat returns a model in cat: a file, or one of ours by its name.
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
