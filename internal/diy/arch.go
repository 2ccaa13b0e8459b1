package diy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Arch is an architecture or a language: the edges and annotations it has, and how its tests are written.
type Arch struct {
	Name      string
	Title     string            // the first word of a test
	fence     map[string]string // by the names of edges: how each is written
	deps      map[string]string // the names of dependencies, aliases too
	rmws      []string
	modes     map[string]string // annotations: R, W or RW, the accesses they are for
	plainMode string            // what P stands for where no annotation is something else
	// Of languages: the mode of an access without annotation, and that of a read-modify-write by those of its halves.
	unannotated string
	rmwModes    map[string]string
	// What Cycles uses: of fences with the same effect in every model, one.
	search, searchModes []string
	searchRmw           string
	sized               bool // sizes are annotations
	write               func(c *Cycle, t *text)
}

// The dialects. LISA has the tags of the Linux kernel's bell file.
var (
	AArch64 = &Arch{
		Name: "AArch64", Title: "AArch64", sized: true, write: writeColumns(a64),
		fence:  dotted("DMB", "DSB", map[string]string{"SY": "SY", "ST": "ST", "LD": "LD", "ISH": "ISH", "ISHST": "ISHST", "ISHLD": "ISHLD", "OSH": "OSH", "NSH": "NSH"}, "ISB"),
		deps:   map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl", "CtrlIsb": "CtrlIsb", "CtrlIsync": "CtrlIsb"},
		rmws:   []string{"Rmw", "LxSx", "Amo.Swp", "Amo.Cas", "Amo.LdAdd"},
		modes:  map[string]string{"A": "R", "Q": "R", "L": "W", "X": "RW", "XA": "R", "XL": "W"},
		search: []string{"DMB.ST", "DMB.LD", "DMB.SY", "ISB"}, searchModes: []string{"Q", "A", "L"}, searchRmw: "Amo.Swp",
	}
	ARM = &Arch{
		Name: "ARM", Title: "ARM", write: writeColumns(arm),
		fence:  map[string]string{"DMB": "DMB", "DSB": "DSB", "DMB.ST": "DMB ST", "DSB.ST": "DSB ST", "ISB": "ISB"},
		deps:   map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl", "CtrlIsb": "CtrlIsb", "CtrlIsync": "CtrlIsb"},
		rmws:   []string{"Rmw", "LxSx"},
		modes:  map[string]string{"X": "RW"},
		search: []string{"DMB.ST", "DMB"}, searchRmw: "Rmw",
	}
	PPC = &Arch{
		Name: "PPC", Title: "PPC", write: writeColumns(ppc),
		fence:  map[string]string{"Sync": "sync", "LwSync": "lwsync", "Eieio": "eieio", "ISync": "isync"},
		deps:   map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl", "CtrlIsync": "CtrlIsync"},
		search: []string{"Eieio", "LwSync", "Sync"},
	}
	X86 = &Arch{
		Name: "X86", Title: "X86", write: writeColumns(x86),
		fence:  map[string]string{"MFence": "MFENCE", "SFence": "SFENCE", "LFence": "LFENCE"},
		rmws:   []string{"Rmw"},
		search: []string{"SFence", "LFence", "MFence"}, searchRmw: "Rmw",
	}
	X86_64 = &Arch{
		Name: "X86_64", Title: "X86_64", write: writeColumns(x86_64),
		fence:  map[string]string{"MFence": "mfence", "SFence": "sfence", "LFence": "lfence"},
		rmws:   []string{"Rmw"},
		search: []string{"SFence", "LFence", "MFence"}, searchRmw: "Rmw",
	}
	RISCV = &Arch{
		Name: "RISCV", Title: "RISCV", write: writeColumns(riscv),
		fence: map[string]string{
			"Fence.r.r": "fence r,r", "Fence.r.w": "fence r,w", "Fence.r.rw": "fence r,rw", "Fence.w.r": "fence w,r", "Fence.w.w": "fence w,w", "Fence.w.rw": "fence w,rw",
			"Fence.rw.r": "fence rw,r", "Fence.rw.w": "fence rw,w", "Fence.rw.rw": "fence rw,rw", "Fence.tso": "fence.tso", "Fence.i": "fence.i",
		},
		deps:   map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl", "CtrlFenceI": "CtrlFenceI", "CtrlFencei": "CtrlFenceI"},
		rmws:   []string{"Rmw", "LrSc", "Amo.Swap"},
		modes:  map[string]string{"Aq": "R", "Rl": "W", "AR": "RW", "X": "RW", "XAq": "R", "XRl": "W", "XAR": "RW"},
		search: []string{"Fence.w.w", "Fence.r.r", "Fence.r.rw", "Fence.rw.w", "Fence.w.r", "Fence.tso", "Fence.rw.rw"}, searchModes: []string{"Aq", "Rl"}, searchRmw: "Amo.Swap",
	}
	C = &Arch{
		Name: "C", Title: "C", write: writeFunctions(c11), plainMode: "Na", unannotated: "Rlx",
		fence: map[string]string{
			"FenceAcq": "memory_order_acquire", "FenceRel": "memory_order_release", "FenceAcqRel": "memory_order_acq_rel", "FenceSc": "memory_order_seq_cst",
		},
		deps:     map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl"},
		rmws:     []string{"Rmw", "Exch"},
		modes:    map[string]string{"Rlx": "RW", "Acq": "R", "Con": "R", "Rel": "W", "Sc": "RW", "Na": "RW"},
		rmwModes: map[string]string{"Rlx Rlx": "Rlx", "Acq Rlx": "Acq", "Rlx Rel": "Rel", "Acq Rel": "AcqRel", "Sc Sc": "Sc"},
		search:   []string{"FenceAcq", "FenceRel", "FenceAcqRel", "FenceSc"}, searchModes: []string{"Acq", "Rel", "Sc"}, searchRmw: "Rmw",
	}
	LKMM = &Arch{
		Name: "LKMM", Title: "C", write: writeFunctions(lkmm), plainMode: "Plain", unannotated: "Once",
		fence:    map[string]string{"FenceMb": "smp_mb()", "FenceWmb": "smp_wmb()", "FenceRmb": "smp_rmb()", "FenceSync-rcu": "synchronize_rcu()"},
		deps:     map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl"},
		rmws:     []string{"Rmw", "Exch"},
		modes:    map[string]string{"Once": "RW", "Acquire": "R", "Release": "W", "Plain": "RW"},
		rmwModes: map[string]string{"Once Once": "relaxed", "Acquire Once": "acquire", "Once Release": "release"},
		search:   []string{"FenceRmb", "FenceWmb", "FenceMb"}, searchModes: []string{"Acquire", "Release"}, searchRmw: "Rmw",
	}
	Java = &Arch{
		Name: "Java", Title: "Java", write: writeFunctions(java), unannotated: "Plain",
		fence: map[string]string{
			"FenceFull": "fullFence()", "FenceAcquire": "acquireFence()", "FenceRelease": "releaseFence()",
			"FenceLoadLoad": "loadLoadFence()", "FenceStoreStore": "storeStoreFence()",
		},
		deps:     map[string]string{"Data": "Data", "Ctrl": "Ctrl"},
		rmws:     []string{"Rmw", "Exch"},
		modes:    map[string]string{"Plain": "RW", "Opaque": "RW", "Acquire": "R", "Release": "W", "Volatile": "RW"},
		rmwModes: map[string]string{"Acquire Plain": "Acquire", "Plain Release": "Release", "Volatile Volatile": "Volatile"},
		search:   []string{"FenceAcquire", "FenceRelease", "FenceFull"}, searchModes: []string{"Opaque", "Acquire", "Release", "Volatile"}, searchRmw: "Rmw",
	}
	LISA = &Arch{
		Name: "LISA", Title: "LISA", write: writeColumns(lisa), unannotated: "Once",
		fence:  map[string]string{"FenceMb": "f[mb]", "FenceWmb": "f[wmb]", "FenceRmb": "f[rmb]", "FenceSync-rcu": "f[sync-rcu]"},
		deps:   map[string]string{"Addr": "Addr", "Data": "Data", "Ctrl": "Ctrl"},
		modes:  map[string]string{"Once": "RW", "Acquire": "R", "Release": "W"},
		search: []string{"FenceRmb", "FenceWmb", "FenceMb"}, searchModes: []string{"Acquire", "Release"},
	}
)

// Archs are all dialects.
var Archs = []*Arch{AArch64, ARM, PPC, X86, X86_64, RISCV, C, LKMM, Java, LISA}

// ByName finds a dialect; case does not matter.
func ByName(name string) (*Arch, error) {
	var names []string
	for _, a := range Archs {
		if strings.EqualFold(a.Name, name) {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("no architecture is called %q; there are %s", name, strings.Join(names, ", "))
}

// dotted are the fences f.o and g.o, and one more.
func dotted(f, g string, options map[string]string, more string) map[string]string {
	m := map[string]string{more: more}
	for o, text := range options {
		m[f+"."+o], m[g+"."+o] = f+" "+text, g+" "+text
	}
	return m
}

// fences are the names of fences, those first of which others are the beginning.
func (a *Arch) fences() []string { return longestFirst(a.fence) }

func (a *Arch) depNames() []string { return longestFirst(a.deps) }

func longestFirst(m map[string]string) []string {
	return slices.SortedFunc(maps.Keys(m), func(x, y string) int {
		if len(x) != len(y) {
			return len(y) - len(x)
		}
		return strings.Compare(x, y)
	})
}

func (a *Arch) annotHelp() string {
	if len(a.modes) == 0 {
		return ", which has none"
	}
	return ": P, " + strings.Join(slices.Sorted(maps.Keys(a.modes)), ", ")
}

// unknown says what is wrong with the name of an edge.
func (a *Arch) unknown(s string) error {
	for _, f := range []string{"Detour", "Hat", "Store"} {
		if strings.Contains(s, f) {
			return fmt.Errorf("%q: edges with %s are not supported", s, f)
		}
	}
	for _, b := range Archs {
		if b != a && b.knows(s) {
			return fmt.Errorf("%q is an edge of %s, not of %s; fences of %s: %s", s, b.Name, a.Name, a.Name, strings.Join(slices.Sorted(maps.Keys(a.fence)), ", "))
		}
	}
	return fmt.Errorf("no edge is called %q; there are Rfe, Fre, Coe, PodRW, DpAddrdR … and fences of %s: %s", s, a.Name, strings.Join(slices.Sorted(maps.Keys(a.fence)), ", "))
}

// knows reports whether s is an edge that not every dialect has.
func (a *Arch) knows(s string) bool {
	for f := range a.fence {
		if rest, ok := strings.CutPrefix(s, f); ok {
			if _, _, ok := locDirs(Edge{}, rest); ok {
				return true
			}
		}
	}
	return slices.Contains(a.rmws, s)
}
