// Package diy makes litmus tests from cycles of relaxation edges, as the diy tool of herdtools does.
//
// A cycle is a list of edges, each between two accesses to memory:
//
//	c, err := diy.Parse(diy.AArch64, "PodWW Rfe DpAddrdR Fre")
//	c.Name()   // MP+po+addr
//	c.Litmus() // the text of the test
//
// The idea is that of Alglave, Maranget, Sarkar, Sewell, "Fences in weak memory models" (2012, §9). A non-SC execution has a
// cycle of program order and communication. So a test whose final condition describes such a cycle asks whether a model
// allows it.
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
// An edge may end with two annotations, of its source and of its target: PodWWPL RfeLA. P is plain. An annotation that stands
// alone is that of the access between the edges around it: PodWW L Rfe A PodRR Fre. An access without annotation is plain. In C
// it is relaxed and in LKMM once, because a race of plain accesses has no meaning there (Na and P are plain). Sizes of AArch64
// are annotations too: w0 w4 (words), q0 (all 8 bytes), h0 …, b0 …, and L.w0 with both.
//
// # Conditions on a cycle
//
// The directions of neighbours agree. The number of edges between different locations is not one; nor is the number of
// external edges. A cycle of one location contradicts coherence, and has an edge of program order. Errors name the edge and
// its place in the text.
//
// # Values and conditions
//
// The accesses to a location are consecutive in the cycle. Their order is its coherence order: writes write 1, 2, …; a read
// gets the value that is there. The condition states this, for each read, and for the last value if there are two writes or
// more. If several threads write a location three times or more, an additional thread reads it to observe the order.
package diy
