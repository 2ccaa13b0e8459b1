package arch

import "ravel/internal/event"

// Dialects are all processors and languages. A model that uses names of several is about the first.
var Dialects = []*Dialect{aarch64, arm, ppc, riscv, x86_64, x86, mips, bpf, c, java, lisa}

// The mapping of C11 is that of GCC and Clang with LDAPR, that of Java is HotSpot's with the atomic instructions of Armv8.1.
var aarch64 = &Dialect{
	Name: AArch64, Title: "AArch64", Processor: true, Model: "armv8",
	Sets: fields("A Q L X EX NoRet NT"),
	Fences: barriers([]Fence{
		{Tag: event.DMBSY, Set: "DMB.SY", Asm: "dmb ish"},
		{Tag: event.DMBLD, Set: "DMB.LD", Asm: "dmb ishld"},
		{Tag: event.DMBST, Set: "DMB.ST", Asm: "dmb ishst", Mute: true},
		{Tag: event.DSBSY, Set: "DSB.SY", Asm: "dsb ish", As: event.DMBSY},
		{Tag: event.DSBLD, Set: "DSB.LD", Asm: "dsb ishld", As: event.DMBLD},
		{Tag: event.DSBST, Set: "DSB.ST", Asm: "dsb ishst", Mute: true},
		{Tag: event.ISB, Set: "ISB", Asm: "isb", Mute: true},
	}),
	Full:      event.DMBSY,
	Marks:     map[event.Tag]string{event.AcquireA: "A", event.AcquirePC: "Q", event.ReleaseL: "L"},
	WeakTells: fields("Q L ISB"),
	C11: &Mapping{
		Load:   Modes{event.Acq: {Mark: event.AcquirePC}, event.AcqRel: {Mark: event.AcquirePC}, event.SC: {Mark: event.AcquireA}},
		Store:  releases,
		Fence:  [NumModes]event.Tag{event.Acq: event.DMBLD, event.Rel: event.DMBSY, event.AcqRel: event.DMBSY, event.SC: event.DMBSY},
		Read:   acquires,
		Write:  releases,
		Failed: acquires,
	},
	Java: &Mapping{
		Load:  Modes{event.Acq: {Mark: event.AcquireA}, event.SC: {Mark: event.AcquireA}},
		Store: Modes{event.Rel: {Mark: event.ReleaseL}, event.SC: {Mark: event.ReleaseL}},
		Fence: [NumModes]event.Tag{event.Acq: event.DMBLD, event.Rel: event.DMBSY, event.SC: event.DMBSY}, LoadLoad: event.DMBLD, StoreStore: event.DMBST,
		Locked: true,
		Read:   Modes{event.Acq: {Mark: event.AcquireA}, event.SC: {Mark: event.AcquireA}},
		Write:  Modes{event.Rel: {Mark: event.ReleaseL}, event.SC: {Mark: event.ReleaseL}},
	},
	Kernel: kernelFences(event.DMBSY, event.DMBLD, event.DMBST, event.NoTag),
	Asm: Instructions{
		Load:    map[event.Tag]string{event.NoTag: "ldr", event.AcquireA: "ldar", event.AcquirePC: "ldapr"},
		Store:   map[event.Tag]string{event.NoTag: "str", event.ReleaseL: "stlr"},
		Updates: map[string]string{"getAndSet": "swp", "getAndAdd": "ldadd", "compare": "cas", "getAndBitwiseOr": "ldset", "getAndBitwiseAnd": "ldclr", "getAndBitwiseXor": "ldeor"},
		Suffix:  map[event.Mode]string{event.Acq: "a", event.Rel: "l", event.SC: "al"},
	},
}

var (
	acquires = Modes{event.Acq: {Mark: event.AcquireA}, event.AcqRel: {Mark: event.AcquireA}, event.SC: {Mark: event.AcquireA}}
	releases = Modes{event.Rel: {Mark: event.ReleaseL}, event.AcqRel: {Mark: event.ReleaseL}, event.SC: {Mark: event.ReleaseL}}
)

var arm = &Dialect{
	Name: ARM, Title: "ARM", Processor: true, Model: "armv7",
	Sets: fields("A L X EX"),
	Fences: barriers([]Fence{
		{Tag: event.DMBSY, Set: "DMB"},
		{Tag: event.DSBSY, Set: "DSB", As: event.DMBSY},
		{Tag: event.DMBST, Set: "DMB.ST"},
		{Tag: event.DSBST, Set: "DSB.ST", As: event.DMBST},
		{Tag: event.DMBLD, Set: "DMB.LD", Mute: true, None: true},
		{Tag: event.DSBLD, Set: "DSB.LD", Mute: true, None: true},
		{Tag: event.ISB, Set: "ISB", Mute: true},
	}),
	Full:   event.DMBSY,
	C11:    leading(event.DMBSY, event.DMBSY, event.ISB),
	Kernel: kernelFences(event.DMBSY, event.DMBSY, event.DMBST, event.NoTag),
}

// The mapping of C11 is that with a leading sync (Batty et al., POPL'12), and so is that of Java, which orders volatile accesses totally: HotSpot's own,
// without sync before a volatile write, shows what ECOOP'22 reports.
var ppc = &Dialect{
	Name: PPC, Title: "Power", Processor: true, Model: "power",
	Sets: fields("X EX"),
	Fences: []Fence{
		{Tag: event.SYNC, Set: "SYNC", Asm: "sync"},
		{Tag: event.LWSYNC, Set: "LWSYNC", Asm: "lwsync"},
		{Tag: event.EIEIO, Set: "EIEIO", Asm: "eieio"},
		{Tag: event.ISYNC, Set: "ISYNC", Asm: "isync"},
	},
	Full:   event.SYNC,
	C11:    leading(event.SYNC, event.LWSYNC, event.ISYNC),
	Kernel: kernelFences(event.SYNC, event.LWSYNC, event.LWSYNC, event.SYNC),
	Java: &Mapping{
		Load:  Modes{event.Acq: {After: event.LWSYNC}, event.SC: {Before: event.SYNC, After: event.LWSYNC}},
		Store: Modes{event.Rel: {Before: event.LWSYNC}, event.SC: {Before: event.SYNC}},
		Fence: [NumModes]event.Tag{event.Acq: event.LWSYNC, event.Rel: event.LWSYNC, event.SC: event.SYNC}, LoadLoad: event.LWSYNC, StoreStore: event.LWSYNC,
		Read:  Modes{event.Rel: {Before: event.LWSYNC}, event.SC: {Before: event.SYNC}},
		Write: Modes{event.Acq: {After: event.LWSYNC}, event.SC: {After: event.LWSYNC}},
	},
	Asm: Instructions{
		Load:    map[event.Tag]string{event.NoTag: "lwz"},
		Store:   map[event.Tag]string{event.NoTag: "stw"},
		Updates: map[string]string{"load": "lwarx", "store": "stwcx."},
	},
}

// The mappings are those of table A.6 of the manual, by fences, with .aq and .rl on read-modify-writes.
var riscv = &Dialect{
	Name: RISCV, Title: "RISC-V", Processor: true, Model: "riscv",
	Sets: fields("Acq Rel AcqRel Sc X EX"),
	Fences: []Fence{
		{Tag: event.FenceRR, Set: "Fence.r.r", Asm: "fence r,r"},
		{Tag: event.FenceRW, Set: "Fence.r.w", Asm: "fence r,w"},
		{Tag: event.FenceRM, Set: "Fence.r.rw", Asm: "fence r,rw"},
		{Tag: event.FenceWR, Set: "Fence.w.r", Asm: "fence w,r"},
		{Tag: event.FenceWW, Set: "Fence.w.w", Asm: "fence w,w"},
		{Tag: event.FenceWM, Set: "Fence.w.rw", Asm: "fence w,rw"},
		{Tag: event.FenceMR, Set: "Fence.rw.r", Asm: "fence rw,r"},
		{Tag: event.FenceMW, Set: "Fence.rw.w", Asm: "fence rw,w"},
		{Tag: event.FenceMM, Set: "Fence.rw.rw", Asm: "fence rw,rw"},
		{Tag: event.FenceTSO, Set: "Fence.tso", Asm: "fence.tso"},
		{Tag: event.FenceI, Set: "Fence.i", Asm: "fence.i", Mute: true},
	},
	Full:      event.FenceMM,
	Marks:     map[event.Tag]string{event.AcquireA: "Acq", event.ReleaseL: "Rel", event.AqRl: "AcqRel"},
	WeakTells: fields("Acq Rel AcqRel"),
	C11: &Mapping{
		Load:   Modes{event.Acq: {After: event.FenceRM}, event.AcqRel: {After: event.FenceRM}, event.SC: {Before: event.FenceMM, After: event.FenceRM}},
		Store:  Modes{event.Rel: {Before: event.FenceMW}, event.AcqRel: {Before: event.FenceMW}, event.SC: {Before: event.FenceMW}},
		Fence:  [NumModes]event.Tag{event.Acq: event.FenceRM, event.Rel: event.FenceMW, event.AcqRel: event.FenceTSO, event.SC: event.FenceMM},
		Read:   reserves,
		Write:  releases,
		Failed: reserves,
		Loop:   OnStatus,
	},
	Java: &Mapping{
		Load:  Modes{event.Acq: {After: event.FenceRM}, event.SC: {Before: event.FenceMM, After: event.FenceRM}},
		Store: Modes{event.Rel: {Before: event.FenceMW}, event.SC: {Before: event.FenceMW}},
		Fence: [NumModes]event.Tag{event.Acq: event.FenceRM, event.Rel: event.FenceMW, event.SC: event.FenceMM}, LoadLoad: event.FenceRR, StoreStore: event.FenceWW,
		Read:  Modes{event.Acq: {Mark: event.AcquireA}, event.SC: {Mark: event.AqRl}},
		Write: Modes{event.Rel: {Mark: event.ReleaseL}, event.SC: {Mark: event.ReleaseL}},
	},
	Kernel: kernelFences(event.FenceMM, event.FenceRR, event.FenceWW, event.NoTag),
	Asm: Instructions{
		Load:    map[event.Tag]string{event.NoTag: "lw"},
		Store:   map[event.Tag]string{event.NoTag: "sw"},
		Updates: map[string]string{"load": "lr.w", "store": "sc.w"},
	},
}

var reserves = Modes{event.Acq: {Mark: event.AcquireA}, event.AcqRel: {Mark: event.AcquireA}, event.SC: {Mark: event.AqRl}}

var x86_64, x86 = x86Dialect(X86_64), x86Dialect(X86)

// x86Dialect is x86. SFENCE is for models in which stores are not in order. Java's mapping is that of Liu, Bender, Palsberg, ECOOP'22, appendix F, and of jMT,
// appendix B.
func x86Dialect(n Name) *Dialect {
	return &Dialect{
		Name: n, Title: "x86", Processor: true, Model: "tso",
		Sets: fields("X NT"),
		Fences: []Fence{
			{Tag: event.MFENCE, Set: "MFENCE", Asm: "mfence"}, {Tag: event.SFENCE, Set: "SFENCE", Asm: "sfence"}, {Tag: event.LFENCE, Set: "LFENCE", Asm: "lfence"},
		},
		Full: event.MFENCE,
		C11: &Mapping{
			Store:  Modes{event.Rel: {Before: event.SFENCE}, event.AcqRel: {Before: event.SFENCE}, event.SC: {Before: event.SFENCE, After: event.MFENCE}},
			Fence:  [NumModes]event.Tag{event.Rel: event.SFENCE, event.AcqRel: event.SFENCE, event.SC: event.MFENCE},
			Locked: true,
		},
		Java: &Mapping{Store: Modes{event.SC: {After: event.MFENCE}}, Fence: [NumModes]event.Tag{event.SC: event.MFENCE}, Locked: true},
		Asm: Instructions{
			Load:    map[event.Tag]string{event.NoTag: "mov"},
			Store:   map[event.Tag]string{event.NoTag: "mov"},
			Updates: map[string]string{"getAndSet": "xchg", "getAndAdd": "lock xadd", "compare": "lock cmpxchg", "other": "lock cmpxchg loop:"},
		},
	}
}

var mips = &Dialect{Name: MIPS, Title: "MIPS", Processor: true, Model: "mips", Sets: fields("X EX"), Fences: []Fence{{Set: "SYNC", Mute: true}}}

var bpf = &Dialect{Name: BPF, Title: "BPF", Processor: true, Model: "bpf", Sets: fields("SC X AQ RL")}

var c = &Dialect{
	Name: C, Title: "C", Model: "rc11", KernelModel: "lkmm",
	Sets: fields("NA A RLX CON ACQ REL ACQ_REL SC RMW"),
	KernelSets: fields("Once Acquire Release Noreturn Mb Rmb Wmb Barrier Rcu-lock Rcu-unlock Sync-rcu Before-atomic After-atomic " +
		"After-spinlock After-unlock-lock After-srcu-read-unlock Srcu-lock Srcu-unlock Sync-srcu LKR LKW UL LF RL RU"),
	Tells: fields("NA RLX ACQ REL ACQ_REL SC"),
}

var java = &Dialect{Name: Java, Title: "Java", Model: "jam21", Sets: fields("O RA ACQ REL V RMW LL SS")}

var lisa = &Dialect{Name: LISA, Title: "LISA", KernelModel: "lkmm", Sets: fields("RMW")}

// leading is the mapping of C11 for a processor that has fences only, with those before the accesses.
func leading(full, light, isync event.Tag) *Mapping {
	m := &Mapping{
		Load:  Modes{event.Acq: {Tested: true, After: isync}, event.Rel: {Before: light}, event.AcqRel: {Before: light, Tested: true, After: isync}, event.SC: {Before: full, Tested: true, After: isync}},
		Store: Modes{event.Rel: {Before: light}, event.AcqRel: {Before: light}, event.SC: {Before: full}},
		Fence: [NumModes]event.Tag{event.Acq: light, event.Rel: light, event.AcqRel: light, event.SC: full},
		Read:  Modes{event.Rel: {Before: light}, event.AcqRel: {Before: light}, event.SC: {Before: full}},
		Write: Modes{event.Acq: {After: isync}, event.AcqRel: {After: isync}, event.SC: {After: isync}},
		Loop:  OnRead,
	}
	for mode := range m.Failed {
		m.Failed[mode] = Access{Before: m.Read[mode].Before, After: m.Load[mode].After}
	}
	return m
}

// kernelFences are the kernel's: smp_mb and those like it, smp_rmb, smp_wmb, smp_mb__after_unlock_lock.
func kernelFences(full, reads, writes, unlock event.Tag) map[event.Tag]event.Tag {
	return map[event.Tag]event.Tag{
		event.SmpMB: full, event.BeforeAtomic: full, event.AfterAtomic: full, event.AfterSpinlock: full,
		event.SmpRMB: reads, event.SmpWMB: writes, event.AfterUnlockLock: unlock,
	}
}
