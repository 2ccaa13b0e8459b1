package diy

import "strings"

// criticalAllowed decides a critical cycle under a multicopy-atomic model without executing anything.
//
// A cycle is critical if each thread has one access of it, or two to different locations. The final condition says which write
// each read reads and in which order the writes to each location are, so there is one candidate execution. In a multicopy-atomic
// model it is consistent iff communication between threads and the preserved part of program order have no cycle (Pulte et al.,
// POPL'18, §4; the RISC-V manual, appendix A; Owens, Sarkar, Sewell, TPHOLs'09). Communication goes from a thread
// to the next of the cycle only (a co that skips a read between two writes ends where the fr does), so that a cycle has to
// pass through both accesses of each thread that has two: it exists iff all these pairs are preserved.
func criticalAllowed(c *Cycle, model string) (allowed, sound bool) {
	keeps, ok := map[string]func(e *Edge) bool{"sc": func(*Edge) bool { return true }, "tso": keptTSO, "armv8": keptARMv8, "riscv": keptRISCV}[model]
	if !ok || c.Locations < 2 || c.Threads < 2 {
		return false, false
	}
	for _, s := range c.segments() {
		if s.hi-s.lo > 2 {
			return false, false
		}
		if s.hi-s.lo == 1 {
			continue
		}
		e := &c.Edges[s.lo]
		if e.Same || e.Kind == Rmw || strings.HasPrefix(e.From.Mode, "X") || strings.HasPrefix(e.To.Mode, "X") {
			return false, false
		}
		if !keeps(e) {
			allowed = true
		}
	}
	return allowed, true
}

// keptTSO: all but a write before a read, unless MFENCE is between.
func keptTSO(e *Edge) bool { return e.Src == R || e.Dst == W || e.Via == "MFence" }

// keptARMv8: what the fences are for; dependencies, but for a control dependency to a read; acquire before and release after
// everything; release before an acquire that is not LDAPR's.
func keptARMv8(e *Edge) bool {
	if e.From.Mode == "A" || e.From.Mode == "Q" || e.To.Mode == "L" || e.From.Mode == "L" && e.To.Mode == "A" {
		return true
	}
	switch {
	case e.Kind == Dep:
		return e.Via != "Ctrl" || e.Dst == W
	case strings.HasSuffix(e.Via, ".LD"):
		return e.Src == R
	case strings.HasSuffix(e.Via, ".ST"):
		return e.Src == W && e.Dst == W
	}
	return e.Via == "DMB.SY" || e.Via == "DSB.SY"
}

// keptRISCV: as the sets of a fence say; dependencies, but for a control dependency to a read, with fence.i or without; acquire
// before and release after everything. A release before an acquire is not in order: with one of the bits each is RCpc (ppo rule 7).
func keptRISCV(e *Edge) bool {
	if e.From.Mode == "Aq" || e.To.Mode == "Rl" {
		return true
	}
	switch {
	case e.Kind == Dep:
		return e.Via == "Addr" || e.Via == "Data" || e.Dst == W
	case e.Via == "Fence.tso":
		return e.Src == R || e.Dst == W
	case e.Kind == Fenced && e.Via != "Fence.i":
		sets := strings.Split(e.Via, ".")
		return strings.Contains(sets[1], strings.ToLower(string(e.Src))) && strings.Contains(sets[2], strings.ToLower(string(e.Dst)))
	}
	return false
}
