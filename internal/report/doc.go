// Package report presents the outcome of a run: text as rustc prints it, JSON, SARIF 2.1.0, DOT, SVG and HTML, a progress
// line, and names for addresses and values.
//
// An engine fills in a [Result]. An [Execution] in it is a counterexample, or any execution to print. Engines describe events
// in the words of the program ("q.head", "&node"), with the help of a [Namer]. This package knows nothing of graphs, models
// or machines.
//
//	Result ─▶ WriteText, WriteJSON, WriteSARIF, WriteHTML
//	Execution ─▶ WriteExecution, WriteDOT, WriteSVG
//
// # The order of rows
//
// All forms except DOT show an execution one event below the other. The order always respects po, and rf wherever po ∪ rf is
// acyclic. If the execution is sequentially consistent, the order also respects co and fr, so it reads from top to bottom as
// an interleaving. Otherwise the events that contradict this reading are marked: a read is stale if a write above it, to the
// same location, comes after the one it reads from in co.
//
// # Limits
//
// A read has one origin. If its bytes come from several writes, only one of them is named. Two events are at the same
// location if their Loc is the same string.
package report
