// Package enumerate finds the executions of litmus tests that a cat model allows.
//
//	t, err := litmus.Parse(name, text)
//	m, err := enumerate.Load("armv8")                 // or a .cat file; Default(t) names the usual one
//	res, err := enumerate.Run(t, m, enumerate.Options{})
//	res.Holds(); res.Observation(); res.States        // what herd prints
//
// Options.OnExecution sees every consistent execution, with its events and relations, and may stop the run.
// Options.OnRejected sees those that a check of the model forbids. A Model is compiled once per dialect. Goroutines may share
// it; each Run is for one goroutine.
//
// # How it works
//
// Each thread runs by itself (path.go), and the values of its reads stay open. Registers hold expressions over received
// values. Branches that depend on them fork, and a path keeps its conditions. One path of each thread makes a structure
// (structure.go), in which all events, program order, dependencies and sets are known. Then each read is given a write
// (solve.go). Values and addresses follow, and contradictions to a condition are dropped. Last, the writes to each location
// are ordered (coherence.go). After every choice, the checks of the model are evaluated that can only get worse when rf and co
// grow (cat.Program.Monotone). So most candidates of herd are never generated.
//
// # Guarantees
//
// Every execution that the model allows is counted once, up to the bound on loops (Result.Bounded). Values that depend on
// themselves, as in out-of-thin-air executions, are not dropped as in herd. If substitution finds no unique solution of
// the equations, the constants of the test are tried. Result.ThinAir counts the executions that only this decided.
package enumerate
