// Package testdata has the corpus: programs with expected verdicts and counts. Tests read the
// files; `ravel bench` has them in the binary.
package testdata

import "embed"

// Programs are the C programs that the benchmarks run.
//
//go:embed c/bench c/java c/litmus c/states c/structures c/waits c/deep c/xmm
var Programs embed.FS

// Java are litmus tests in Java.
//
//go:embed java/*.litmus java/*.tsv c/xmm
var Java embed.FS
