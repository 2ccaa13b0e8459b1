package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ravel/internal/site"
)

func newSite() *cobra.Command {
	var wasm string
	cmd := &cobra.Command{
		Use:   "site DIR",
		Short: "Write the documents as a site on which examples run in the browser",
		Long: `Write the documents, and the page of ravel serve, as files that any web server can
serve. On them litmus tests, models in cat, comparisons, Java's models and LLVM IR run in
the browser, as WebAssembly. Examples in C and C++ are compiled now, with the clang on PATH.

The WebAssembly is ravel.wasm beside this program, or what --wasm names. To make it:
  GOOS=js GOARCH=wasm go build -ldflags='-s -w' -o ravel.wasm ./cmd/ravel-wasm`,
		Example: "  ravel site public\n  ravel site --wasm ravel.wasm public",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if wasm == "" {
				exe, err := os.Executable()
				if err != nil {
					return err
				}
				wasm = filepath.Join(filepath.Dir(exe), "ravel.wasm")
			}
			code, err := os.ReadFile(wasm)
			if err != nil {
				return fmt.Errorf("%w\nto make it: GOOS=js GOARCH=wasm go build -ldflags='-s -w' -o ravel.wasm ./cmd/ravel-wasm", err)
			}
			return site.Write(interruption(), args[0], site.Options{Wasm: code, Version: version, Note: func(s string) { fmt.Fprintln(os.Stderr, "ravel:", s) }})
		},
	}
	cmd.Flags().StringVar(&wasm, "wasm", "", "the `FILE` with ravel for the browser (default: ravel.wasm beside this program)")
	return cmd
}
