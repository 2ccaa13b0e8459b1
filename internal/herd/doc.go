// Package herd is `ravel litmus`. It reads litmus tests, runs them under a model (package enumerate) on several workers, and
// prints the log of herd7, or JSON, explanations and pictures.
//
//	err := herd.Run(ctx, []herd.Source{{File: "MP.litmus"}}, herd.Config{Model: "armv8"}, func(e *herd.Entry) error { return e.WriteLog(os.Stdout) })
//
// Entries come in the order of the files, whichever worker is done first.
package herd
