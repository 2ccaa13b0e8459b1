package jmm

import (
	"strings"

	"ravel/internal/frontend/litmus"
)

// A mode is an access mode of the VarHandle API.
type mode uint8

const (
	plain mode = iota
	opaque
	acquire
	release
	volatile
)

// A scheme says what the methods of VarHandle become on a processor: the fences around an access, the sets that
// its events are in, and how instructions are called. Plain, opaque, acquire, release and volatile are the indices.
type scheme struct {
	arch  litmus.Arch
	model string // ours of the processor
	title string
	loads [volatile + 1]access
	store [volatile + 1]access
	// fences by the name of the method; "" is no instruction.
	fences map[string]string
	// A read-modify-write is one instruction, or a loop over a load-exclusive and a store-exclusive.
	exclusive bool
	rmw       [volatile + 1]update
	swap      map[string]string // the names of the instructions that exchange and add, and so on
	set       func(fence string) []string
}

// An access is a load or a store and what is around it.
type access struct {
	before, after string
	name          string
	sets          []string
}

// An update is the two halves of a read-modify-write.
type update struct {
	before, after string
	read, write   []string
	suffix        string // of the instruction
}

// Targets lists the processors that there are schemes for.
func Targets() []string { return []string{"x86", "aarch64", "power", "riscv"} }

// all fills a table with one entry.
func all[T any](x T) (t [volatile + 1]T) {
	for i := range t {
		t[i] = x
	}
	return t
}

var schemes = map[string]*scheme{"x86": x86Scheme(), "aarch64": aarch64Scheme(), "power": powerScheme(), "riscv": riscvScheme()}

// x86Scheme is that of Liu, Bender, Palsberg, ECOOP'22, appendix F, and of jMT, appendix B.
func x86Scheme() *scheme {
	s := &scheme{
		arch: litmus.X86_64, model: "tso", title: "mov; volatile writes are followed by mfence; locked instructions",
		loads: all(access{name: "mov"}), store: all(access{name: "mov"}),
		fences: map[string]string{"fullFence": "mfence", "acquireFence": "", "releaseFence": "", "loadLoadFence": "", "storeStoreFence": ""},
		rmw:    all(update{read: []string{"X"}, write: []string{"X"}}),
		swap:   map[string]string{"getAndSet": "xchg", "getAndAdd": "lock xadd", "compare": "lock cmpxchg", "other": "lock cmpxchg loop:"},
		set:    func(f string) []string { return []string{strings.ToUpper(f)} },
	}
	s.store[volatile].after = "mfence"
	return s
}

// aarch64Scheme is that of HotSpot with the atomic instructions of Armv8.1. Volatile and acquire reads are ldar, volatile
// and release writes stlr.
func aarch64Scheme() *scheme {
	s := &scheme{
		arch: litmus.AArch64, model: "armv8", title: "ldar and stlr; casal and the other atomic instructions; dmb",
		loads: all(access{name: "ldr"}), store: all(access{name: "str"}),
		fences: map[string]string{"fullFence": "dmb ish", "acquireFence": "dmb ishld", "releaseFence": "dmb ish", "loadLoadFence": "dmb ishld", "storeStoreFence": "dmb ishst"},
		rmw:    all(update{read: []string{"X"}, write: []string{"X"}}),
		swap:   map[string]string{"getAndSet": "swp", "getAndAdd": "ldadd", "compare": "cas", "getAndBitwiseOr": "ldset", "getAndBitwiseAnd": "ldclr", "getAndBitwiseXor": "ldeor"},
		set:    func(f string) []string { return []string{strings.ToUpper(strings.ReplaceAll(f, " ", "."))} },
	}
	ldar, stlr := access{name: "ldar", sets: []string{"A"}}, access{name: "stlr", sets: []string{"L"}}
	s.loads[acquire], s.loads[volatile] = ldar, ldar
	s.store[release], s.store[volatile] = stlr, stlr
	a, l := []string{"A", "X"}, []string{"L", "X"}
	s.rmw[acquire].read, s.rmw[acquire].suffix = a, "a"
	s.rmw[release].write, s.rmw[release].suffix = l, "l"
	s.rmw[volatile] = update{read: a, write: l, suffix: "al"}
	return s
}

// powerScheme is the mapping of C11 with a leading sync (Batty and others, POPL'12), which orders volatile
// accesses totally: HotSpot's own, without sync before a volatile write, shows what ECOOP'22 reports.
func powerScheme() *scheme {
	s := &scheme{
		arch: litmus.PPC, model: "power", title: "sync before volatile accesses; lwsync after acquire reads and before release writes; lwarx and stwcx.",
		loads: all(access{name: "lwz"}), store: all(access{name: "stw"}),
		fences:    map[string]string{"fullFence": "sync", "acquireFence": "lwsync", "releaseFence": "lwsync", "loadLoadFence": "lwsync", "storeStoreFence": "lwsync"},
		exclusive: true,
		rmw:       all(update{read: []string{"X", "EX"}, write: []string{"X", "EX"}}),
		swap:      map[string]string{"load": "lwarx", "store": "stwcx."},
		set:       func(f string) []string { return []string{strings.ToUpper(f)} },
	}
	s.loads[acquire].after, s.loads[volatile].before, s.loads[volatile].after = "lwsync", "sync", "lwsync"
	s.store[release].before, s.store[volatile].before = "lwsync", "sync"
	s.rmw[acquire].after, s.rmw[release].before = "lwsync", "lwsync"
	s.rmw[volatile].before, s.rmw[volatile].after = "sync", "lwsync"
	return s
}

// riscvScheme is the mapping of C11 by fences of the RISC-V manual, table A.6, with .aq and .rl on read-modify-writes.
func riscvScheme() *scheme {
	s := &scheme{
		arch: litmus.RISCV, model: "riscv", title: "fences around acquire, release and volatile accesses; lr and sc with .aq and .rl",
		loads: all(access{name: "lw"}), store: all(access{name: "sw"}),
		fences:    map[string]string{"fullFence": "fence rw,rw", "acquireFence": "fence r,rw", "releaseFence": "fence rw,w", "loadLoadFence": "fence r,r", "storeStoreFence": "fence w,w"},
		exclusive: true,
		rmw:       all(update{read: []string{"X", "EX"}, write: []string{"X", "EX"}}),
		swap:      map[string]string{"load": "lr.w", "store": "sc.w"},
		set: func(f string) []string {
			return []string{"Fence." + strings.ReplaceAll(strings.TrimPrefix(f, "fence "), ",", ".")}
		},
	}
	s.loads[acquire].after, s.loads[volatile].before, s.loads[volatile].after = "fence r,rw", "fence rw,rw", "fence r,rw"
	s.store[release].before, s.store[volatile].before = "fence rw,w", "fence rw,w"
	s.rmw[acquire].read = []string{"X", "EX", "Acq"}
	s.rmw[release].write = []string{"X", "EX", "Rel"}
	s.rmw[volatile].read, s.rmw[volatile].write = []string{"X", "EX", "AcqRel"}, []string{"X", "EX", "Rel"}
	return s
}
