// Package diy makes litmus tests from cycles of relaxation edges, as the diy tool of herdtools does.
//
// A cycle is a list of edges, each between two accesses to memory:
//
//	c, err := diy.Parse(diy.AArch64, "PodWW Rfe DpAddrdR Fre")
//	c.Name()   // MP+po+addr
//	c.Litmus() // the text of the test
//
// Alglave, Maranget, Sarkar, Sewell, "Fences in weak memory models" (2012, §9) has the idea: a
// non-SC execution has a cycle of program order and communication, so a test whose final condition
// describes such a cycle asks whether a model lets it happen.
//
// # Edges
//
//	Rfe Rfi              a write to a read of it, external or internal to the thread
//	Fre Fri              a read to a write that comes after the one it read
//	Coe Coi (Wse Wsi)    a write to a later write of the same location
//	PodRW PosWR …        program order; d: different locations, s: the same one; then the directions
//	DMB.SYdWW SyncsRR …  a fence between; the names are those of the architecture
//	DpAddrdR DpCtrlsW …  a dependency, whose source is a read: address, data, control, control with a fence
//	Rmw LxSx Amo.Swp …   a read-modify-write
//	FrLeave RfBack …     to the only access of another thread, and back to this one; DetourR and DetourW are pairs of these
//
// An edge may end with two annotations, of its source and of its target: PodWWPL RfeLA. P is plain. One that stands
// alone is about the access between the edges around it: PodWW L Rfe A PodRR Fre. An access that nothing annotates is
// plain; in C it is relaxed and in LKMM once, because a race of plain accesses has no meaning there (Na and P are plain).
// Sizes of AArch64 are annotations too: w0 w4 (words), q0 (all 8 bytes), h0 …, b0 …, and L.w0 with both.
//
// # What a cycle must be
//
// The directions of neighbours agree. The edges with different locations are none or at least two; so are the external
// ones. A cycle of one location contradicts coherence; one of its edges must be of program order. Errors name the edge
// and its place in the text.
//
// # Values and conditions
//
// The accesses to a location come one after the other in the cycle. That order is its coherence order: writes
// write 1, 2, …; a read gets what is there. The condition says so, for each read and for the last value where there are two
// writes or more. Three writes or more, of several threads, are told apart by a thread that only reads.
package diy
