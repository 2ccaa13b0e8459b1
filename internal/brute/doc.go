// Package brute enumerates the consistent executions of tiny concurrent programs by brute force. It is the reference that
// engines and models are tested against. Only tests use it.
//
// Programs have address, data and control dependencies, threads that start and join others, and, beside the modes of C11,
// instructions of processors. Models are those of C11, Java and the Linux kernel, IMM, XMM, and those of hardware through
// the usual compilation mappings (mapping.go).
//
// It is meant to be obviously right, not fast. A program has no loops, so a thread is a function from the values its reads
// receive to a list of events. Enumerate
//
//  1. computes which values can be written to each location (values);
//  2. runs every thread with every sequence of such values (paths);
//  3. for every choice of one path per thread, takes every rf that fits the values and every co;
//     dependencies follow from the text of the path: each register has the reads it was computed from;
//  4. keeps the graphs that satisfy the axioms of the model, written with boolean matrices as the papers print them
//     (models.go).
//
// The only shortcut is that candidates are filtered location by location first, because coherence per location and atomicity
// hold in all models. A test runs without it.
//
// The words are those of the field: po, rf, co (modification order), fr = rf⁻¹;co, rmw, hb, eco. See "Herding Cats" (Alglave
// et al., TOPLAS'14) and "Repairing Sequential Consistency in C/C++11" (Lahav et al., PLDI'17).
//
// Limits: at most 32 events, initial writes included; no loops, pointers or arrays; values have 32 bits. An address may
// depend on a register, but is always that of one location.
package brute
