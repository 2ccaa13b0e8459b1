// Package report turns the outcome of a run into what users see: text as rustc prints it,
// JSON, SARIF 2.1.0, DOT, SVG and HTML, a progress line, and names for addresses and values.
//
// An engine fills in a [Result]; an [Execution] in it is a counterexample, or any execution to
// print. Engines describe events in the words of the program ("q.head", "&node"), with the help
// of a [Namer]; this package knows nothing of graphs, models or machines.
//
//	Result ─▶ WriteText, WriteJSON, WriteSARIF, WriteHTML
//	Execution ─▶ WriteExecution, WriteDOT, WriteSVG
//
// # The order of rows
//
// All forms but DOT show an execution one event below the other. The order always respects po,
// and rf wherever po ∪ rf is acyclic; it also respects co and fr where the execution is
// sequentially consistent, so that it can be read from top to bottom as an interleaving. Where it
// is not, the events that break the illusion are marked: a read is stale when a write above it,
// to the same location, comes after the one it reads from in co.
//
// # Limits
//
// A read has one origin: one that takes its bytes from several writes names only one of them.
// Two events are at the same location when their Loc is the same string.
package report
