package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan writes what packages of ravel have beside the program. scripts/release runs it.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write man pages, and completions for shells, to a folder",
		Example: "  ravel man share   # share/man/man1, share/completions",
		Args:    cobra.ExactArgs(1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return writePages(cmd.Root(), args[0])
		},
	}
}

// writePages writes pages that depend on nothing but the commands, and on SOURCE_DATE_EPOCH, which is their date.
func writePages(root *cobra.Command, dir string) error {
	man, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	date := time.Now()
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		date = time.Unix(seconds, 0).UTC()
	}
	root.DisableAutoGenTag = true
	root.InitDefaultHelpCmd()
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "RAVEL", Section: "1", Source: "ravel " + version, Manual: "ravel", Date: &date}, man); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"ravel.bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_ravel":     root.GenZshCompletionFile,
		"ravel.fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
		"ravel.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}
