package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ravel/internal/lsp"
)

func newLSP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server, for editors",
		Long: `Speak the Language Server Protocol with an editor, on the standard input and output.

When a C, C++ or Rust file is saved, its programs are checked in the background: the
targets of ravel.toml that have it, or the programs of compile_commands.json that link
it, or its package of Cargo, or the file itself. Errors and memory orders to change
become diagnostics, and edits to apply. Litmus tests and models in cat are read while
they are typed. docs/tasks/editors.md has the settings of editors.

Exit status: 0 after shutdown and exit, 1 if the client goes without them.`,
		Example: "  ravel lsp",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			err := lsp.Serve(lsp.Config{In: os.Stdin, Out: os.Stdout, Version: version, Flags: editorFlags})
			if err != nil {
				fmt.Fprintln(os.Stderr, "ravel lsp:", err)
				return statusError(1) // as the protocol says
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "speak on the standard input and output: the only way there is, for clients that say so")
	_ = cmd.Flags().MarkHidden("stdio")
	return cmd
}

// editorFlags reads flags of ravel check for the language server.
func editorFlags(dir, model string, flags []string) (lsp.Check, error) {
	f, err := targetFlags(dir, model, flags)
	if err != nil {
		return lsp.Check{}, err
	}
	return lsp.Check{Options: f.o, Cargo: f.cargo, Clang: f.p.Clang}, nil
}
