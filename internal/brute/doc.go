// Package brute enumerates the consistent executions of tiny concurrent programs by brute
// force: the reference that the engines and the models are tested against. Only tests use it.
//
// Programs have address, data and control dependencies and, beside C11's modes, instructions of
// architectures; models are C11's, IMM and those of hardware, through the usual compilation mappings (mapping.go).
//
// It is meant to be obviously right, not fast. A program has no loops, so a thread is a function
// from the values its reads receive to a list of events. Enumerate
//
//  1. computes which values can be written to each location (values);
//  2. runs every thread with every sequence of such values (paths);
//  3. for every choice of one path per thread, takes every rf that fits the values and every co;
//     dependencies follow from the text of the path: each register has the reads it was computed from;
//  4. keeps what satisfies the axioms of the model, written as in models.md with boolean
//     matrices (models.go).
//
// The only shortcut is that candidates are filtered location by location first: coherence per
// location and atomicity hold in all models. A test runs without it.
//
// The words are those of the field: po, rf, co (modification order), fr = rf⁻¹;co, rmw, hb, eco;
// see "Herding Cats" (Alglave et al., TOPLAS'14) and "Repairing Sequential Consistency in C/C++11"
// (Lahav et al., PLDI'17).
//
// Limits: at most 32 events, initial writes included; no loops, pointers, arrays, thread
// creation or joins inside threads; values are 32 bits. An address depends on a register
// but is always that of one location.
package brute
