package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ravel"
)

func newModels() *cobra.Command {
	var explain, asJSON bool
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
			case asJSON:
				return printJSON(args)
			case len(args) == 0:
				listModels()
				return nil
			case explain:
				text, err := ravel.ExplainModel(args[0], mapping == "raw")
				fmt.Print(text)
				return err
			}
			return printModel(args[0])
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "say how programs are explored under the model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the models, or the one that is named, as a JSON array")
	cmd.Flags().StringVar(&mapping, "mapping", "c11", "with --explain: c11 or raw, as for ravel check")
	return cmd
}

// printJSON prints all models, or the one that is named.
func printJSON(names []string) error {
	list := ravel.Models()
	if len(names) > 0 {
		if ravel.IsModelFile(names[0]) {
			return fmt.Errorf("--json is for the models that ravel has: %s is a file", names[0])
		}
		m, err := ravel.FindModel(names[0])
		if err != nil {
			return err
		}
		list = []ravel.Model{m}
	}
	return json.NewEncoder(os.Stdout).Encode(list)
}

func listModels() {
	for _, m := range ravel.Models() {
		note := ""
		if !m.Native && m.Cat != "" {
			note = " (in cat only)"
		}
		fmt.Printf("%-12s %s%s\n", m.Name, m.Title, note)
	}
}

// printModel prints the definition of a model, what runs it, and its text in cat.
func printModel(name string) error {
	if ravel.IsModelFile(name) {
		text, err := ravel.ModelText(name)
		fmt.Print(text)
		return err
	}
	m, err := ravel.FindModel(name)
	if err != nil {
		return err
	}
	fmt.Print(m.Definition, "\n\n")
	if len(m.Aliases) > 0 {
		fmt.Println("Other names:", strings.Join(m.Aliases, ", "))
	}
	for _, e := range ravel.Engines() {
		if why := m.Refusals[e]; why != "" {
			fmt.Printf("%-10s no: %s\n", e, why)
		} else {
			fmt.Printf("%-10s yes\n", e)
		}
	}
	if m.Cat != "" {
		fmt.Print("\nIn cat:\n\n", m.Cat)
	}
	return nil
}
