// Package arch has one table per processor and language. A table has the names of its sets and fences in cat, and the
// default model of its tests. It also says how compilers translate the access modes of C11, of Java and of the Linux kernel.
// Front ends, models and engines read these tables. Only the brute-force oracle has its own, to be independent.
package arch

import (
	"slices"
	"strings"

	"ravel/internal/event"
)

// A Name is what herd calls a dialect: the first word of its litmus tests.
type Name string

const (
	AArch64 Name = "AArch64"
	ARM     Name = "ARM"
	PPC     Name = "PPC"
	X86     Name = "X86"
	X86_64  Name = "X86_64"
	RISCV   Name = "RISCV"
	MIPS    Name = "MIPS"
	LISA    Name = "LISA"
	BPF     Name = "BPF"
	C       Name = "C"
	Java    Name = "Java"
)

// A Dialect is a processor or a language.
type Dialect struct {
	Name      Name
	Title     string // as its makers write it
	Processor bool   // its tests are instructions

	// Model is the model that its tests usually run under, KernelModel that of tests with the Linux kernel's macros; "" if there is none.
	Model, KernelModel string

	Sets       []string // the sets that operations of tests may be in, besides those of Fences and Kernel
	KernelSets []string // those of the kernel's macros
	Fences     []Fence
	Full       event.Tag // the fence that orders everything; NoTag if programs are not compiled for the dialect

	// Marks names the accesses that order something themselves, as sets.
	Marks map[event.Tag]string
	// Tells are sets that tell that a model is about this dialect, besides those of Fences. Weak ones count only if nothing else tells.
	Tells, WeakTells []string

	C11, Java *Mapping                // nil: programs are not compiled for it
	Kernel    map[event.Tag]event.Tag // what the kernel's fences become
	Asm       Instructions            // what Java's methods become
}

// A Fence is a fence instruction of a processor.
type Fence struct {
	Tag  event.Tag // NoTag: programs don't have it, tests do
	Set  string    // its set in cat
	Asm  string    // as compilers write it
	As   event.Tag // the fence that it counts as in the native models; Tag if it is NoTag
	Mute bool      // its name tells nothing about the dialect: others have it, too
	None bool      // the native models ignore it: later versions of the processor brought it
}

// Instructions are how instructions are called.
type Instructions struct {
	Load, Store map[event.Tag]string // by their marks
	// Updates names instructions that read and write: exchange, add, compare, and, or, xor, other; load and store of a pair of exclusives.
	Updates map[string]string
	// Suffix is what a mode adds to the name of an update.
	Suffix map[event.Mode]string
}

// NumModes is the number of access modes.
const NumModes = int(event.SC) + 1

// An Access is an access or a fence in some mode as a processor performs it.
type Access struct {
	Mark          event.Tag // AcquireA, AcquirePC, ReleaseL, AqRl, or NoTag
	Before, After event.Tag // fences around it, or NoTag
	Tested        bool      // a branch on what was read comes before After
}

// A Modes is an Access for each mode.
type Modes [NumModes]Access

// A Mapping says how compilers translate access modes. Those of Java are opaque (Rlx), acquire, release and volatile (SC).
type Mapping struct {
	Load, Store Modes
	Fence       [NumModes]event.Tag
	// A read-modify-write is one locked instruction, or a load and a store whose modes are Read and Write; Failed is the
	// load of a compare-and-swap that fails.
	Locked              bool
	Read, Write, Failed Modes
	Loop                Loop // of a read-modify-write
	// Java's fences that order loads with loads and stores with stores.
	LoadLoad, StoreStore event.Tag
}

// A Loop is what the loop around a read-modify-write branches on at its end.
type Loop uint8

const (
	NoLoop   Loop = iota // nothing that counts as a dependency
	OnRead               // what was read
	OnStatus             // the result of the store
)

// Of returns the table of a dialect, nil if there is none.
func Of(n Name) *Dialect {
	for _, d := range Dialects {
		if d.Name == n {
			return d
		}
	}
	return nil
}

// AllSets returns all sets that operations of tests may be in.
func (d *Dialect) AllSets() []string {
	sets := slices.Clone(d.Sets)
	for _, f := range d.Fences {
		sets = append(sets, f.Set)
	}
	return append(sets, d.KernelSets...)
}

// FenceSet returns the set of a fence that programs have, "" if the dialect does not have it.
func (d *Dialect) FenceSet(t event.Tag) string {
	if f := d.fence(t); f != nil {
		return f.Set
	}
	return ""
}

// FenceAsm returns how a fence is written, "" if the dialect does not have it.
func (d *Dialect) FenceAsm(t event.Tag) string {
	if f := d.fence(t); f != nil {
		return f.Asm
	}
	return ""
}

func (d *Dialect) fence(t event.Tag) *Fence {
	for i := range d.Fences {
		if f := &d.Fences[i]; t != event.NoTag && f.Tag == t {
			return f
		}
	}
	return nil
}

// Own returns, for each tag of a fence, what it is to the native models: NoTag if it is none of the processor.
func (d *Dialect) Own() (own [event.NumTags]event.Tag) {
	for _, f := range d.Fences {
		switch {
		case f.Tag == event.NoTag || f.None:
		case f.As != event.NoTag:
			own[f.Tag] = f.As
		default:
			own[f.Tag] = f.Tag
		}
	}
	return own
}

// About returns the dialect of a model that uses these sets; C if nothing tells. A tells nothing: it is an acquire on AArch64, but all atomic accesses in C.
func About(uses func(set string) bool) *Dialect {
	for _, d := range Dialects {
		for _, f := range d.Fences {
			if !f.Mute && uses(f.Set) {
				return d
			}
		}
	}
	for _, d := range Dialects {
		if slices.ContainsFunc(d.Tells, uses) {
			return d
		}
	}
	for _, d := range Dialects {
		if slices.ContainsFunc(d.WeakTells, uses) {
			return d
		}
	}
	return Of(C)
}

func fields(s string) []string { return strings.Fields(s) }

// barriers are ARM's fences in the shareability domains of tests.
func barriers(known []Fence) []Fence {
	for _, kind := range []string{"DMB.", "DSB."} {
		for domain := range strings.FieldsSeq("SY ST LD ISH ISHST ISHLD NSH NSHST NSHLD OSH OSHST OSHLD") {
			set := kind + domain
			if !slices.ContainsFunc(known, func(f Fence) bool { return f.Set == set }) {
				known = append(known, Fence{Set: set, Mute: true})
			}
		}
	}
	return known
}
