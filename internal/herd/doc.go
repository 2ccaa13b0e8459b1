// Package herd is `ravel litmus`: it reads litmus tests, runs them under a model (package enumerate) on several
// workers, and prints what herd7 prints, or JSON, explanations and pictures.
//
//	err := herd.Run(files, herd.Config{Model: "armv8"}, func(e *herd.Entry) error { return e.WriteLog(os.Stdout) })
//
// Entries come in the order of the files, whichever worker is done first.
package herd
