package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ravel/internal/model"
)

func newModels() *cobra.Command {
	return &cobra.Command{
		Use:     "models [NAME]",
		Short:   "List the memory models, or print the definition of one",
		Example: "  ravel models\n  ravel models rc11",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "lmo" {
				fmt.Println(lmoDoc)
				return nil
			}
			if len(args) == 1 {
				m, err := getModel(args[0], model.Options{})
				if err != nil {
					return err
				}
				fmt.Println(m.Doc())
				return nil
			}
			for _, name := range model.Names() {
				m, err := model.Get(name, model.Options{})
				if err != nil {
					return err
				}
				title, _, _ := strings.Cut(m.Doc(), "\n")
				fmt.Printf("%-12s %s\n", name, title)
			}
			title, _, _ := strings.Cut(lmoDoc, "\n")
			fmt.Printf("%-12s %s\n", "lmo", title)
			return nil
		},
	}
}

// getModel returns a model, or an error that suggests one.
func getModel(name string, opts model.Options) (model.Model, error) {
	m, err := model.Get(name, opts)
	if name == "lmo" || name == "all" {
		return nil, fmt.Errorf("--model %s is for --engine states", name)
	}
	if err != nil && !slices.Contains(model.Names(), name) {
		if s := closest(name, model.Names()); s != "" {
			return nil, fmt.Errorf("unknown memory model %q: did you mean %s?", name, s)
		}
	}
	return m, err
}
