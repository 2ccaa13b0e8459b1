// Package enumerate finds the executions of litmus tests that a cat model allows.
//
//	t, err := litmus.Parse(name, text)
//	m, err := enumerate.Load("armv8")                 // or a .cat file; Default(t) names the usual one
//	res, err := enumerate.Run(t, m, enumerate.Options{})
//	res.Holds(); res.Observation(); res.States        // what herd prints
//
// Options.OnExecution sees every consistent execution, with its events and relations, and may stop the
// run; Options.OnRejected sees those that a check of the model forbids. A Model is compiled once for
// each dialect and may be shared by goroutines; each Run is for one.
//
// # How it works
//
// Each thread is run by itself (path.go), with what its reads receive left open: registers hold expressions over
// received values, branches that depend on them fork, and a path keeps the conditions under which it is
// taken. One path of each thread makes a structure (structure.go): all its events, program order,
// dependencies and sets are known. Then each read is given a write (solve.go), values and addresses follow,
// and what contradicts a condition is dropped. Last, the writes to each location are put in
// order (coherence.go). The checks of the model that can only get worse when rf and co
// grow (cat.Program.Monotone) are made after every single choice, so that most of what herd generates and
// tests is never generated.
//
// # What it guarantees
//
// Every execution that the model allows is counted once, up to the bound on loops (Result.Bounded). Values that depend on
// themselves, as in out-of-thin-air executions, are not dropped as in herd: if the equations do not have one
// solution that substitution finds, the constants of the test are tried, and Result.ThinAir counts the executions
// where nothing but that decided.
package enumerate
