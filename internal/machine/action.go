package machine

import (
	"ravel/internal/event"
	"ravel/internal/ir"
)

// An Action is what a thread does next: the engine performs it and resumes the thread with
// the value the action yields.
type Action struct {
	Kind  ActionKind
	Mode  event.Mode
	Fail  event.Mode // CAS: mode of the read when it fails
	Size  uint8      // bytes accessed
	RMW   event.RMWOp
	Weak  bool        // a CAS that may fail spuriously; Choice: whether a wait ends spuriously, with one alternative where it has done so
	Stack bool        // Alloc, Free: of a stack slot
	Tag   event.Tag   // access, Fence: the instruction of an architecture that it is
	Addr  event.Addr  // access, Alloc, Free, Size; Fence of SRCU: the srcu_struct; Create: the function; Fail: what it is about, if not 0
	Val   event.Value // Store: the value; RMW: the operand; CAS: the new value; Create: the argument; Alloc: the size; Free: the size that the program says it has plus 1, or 0; Join: the thread; Exit: the result; Fence: what srcu_read_unlock is given
	Exp   event.Value // CAS, AddUnless: the expected value; Store of a part: the bits of Val that are written
	Pos   ir.Pos

	// The reads of the thread that Addr, Val, the action's existence and the Exp of a CAS depend on, if
	// Options.Deps is set: sets of the Arena's Deps. A read is named by its place in the thread: the thread's start has place 0,
	// an RMW that writes has two, Size and Next none, and every other action one. DataDep of an RMW that is
	// neither Xchg nor CAS has its own read too. CtrlDep is that of the action's first event.
	AddrDep, DataDep, CtrlDep, ExpDep event.DepSet
	OpenDep                           event.DepSet // with Options.Arms: what is in CtrlDep because of branches in whose arms the action is (arms.go)

	Values   *Values   // Choice: what the alternatives are; nil: the numbers below N
	N        int       // Choice: how many alternatives; Alloc: the alignment; Spin, Lock: how many events the spinning iteration has; Assume: 1 if it is a function of one load
	Block    BlockKind // Block
	Error    *Error    // Fail
	Family   Family    // Alloc, Free: which functions of the program do it
	Zeroed   bool      // Alloc: the memory is zero, not uninitialised
	Part     bool      // Store: the other bits of Val stay what they are
	Awaits   bool      // Load, RMW: it is in a loop that may spin, or right before an assumption, so what it reads may block the thread
	Retries  bool      // Load, RMW: it is in a loop that may go round without a lasting effect
	Picks    bool      // CAS: it is one instruction, without a branch behind it; with Options.Picks
	Persists bool      // CAS, with Options.Arms: the thread repeats it until it succeeds (persist.go)
	Private  bool      // Load, Store: an access the engine may leave out of race checks (ravel's own library)
	Arrives  uint32    // RMW: not 0 if it is the arrival at a barrier of so many threads, and nothing depends on the order of arrival
	Site     uint32    // Alloc: tells objects apart that are not of the same kind; never 0 (Layout)
}

// ActionKind says what a thread wants done, and what to resume it with.
type ActionKind uint8

const (
	Load   ActionKind = iota // resume with the value read
	Store                    // resume with anything
	RMW                      // resume with the value read; Succeeds says which one lets it write
	Fence                    // resume with what srcu_read_lock returns, otherwise with anything
	Create                   // resume with the new thread's number
	Join                     // wait for thread Val.Lo to exit; resume with its result
	Alloc                    // the object [Addr, Addr+Val.Lo) begins to exist; of the heap: resume with Addr, or with the address of a block that was freed
	Free                     // it ends; resume with anything
	Size                     // no event: resume with the size of the heap object that begins at Addr
	Next                     // no event: resume with the number of the thread that this one creates next
	Round                    // no event: resume with 1 if what the last N events of the thread did to memory left it as it was, and with anything else to go on
	Choice                   // resume with a number below N
	Exit                     // the thread is done: never resumed
	Block                    // the thread can't go on: never resumed
	Fail                     // an error: never resumed
)

// BlockKind says why a thread blocks.
type BlockKind uint8

const (
	// Assume: the program said that this execution does not count.
	Assume BlockKind = iota
	// Spin: the last N events of the thread are an iteration of a loop that only read, except for what Round knows to change nothing, and
	// left the thread's state as it was before: going round again can't help until another thread writes.
	Spin
	// Lock is Spin inside a blocking call (a mutex, a condition variable, a barrier):
	// a thread that stays there forever is a deadlock.
	Lock
	// Unroll: a loop reached the bound of Options.Unroll.
	Unroll
	// Ended: the program called exit. The execution is complete and every thread stops.
	Ended
	// Again: a weak CAS failed or a wait ended spuriously and the thread is back where it was, as if it had never tried, or it is where it would be if an earlier read had read
	// what the last one did. Engines say that, not the machine.
	Again
)

// An Error is what went wrong inside one thread.
type Error struct {
	Kind    ErrorKind
	Message string
	Label   string // what the place of the error is marked with; may be empty
	Help    string // what to do about it; may be empty
	Endless bool   // of kind Unsupported: the thread seems to go on for ever without an action

	// Untracked: of kind UninitError: a register would get an undefined bit. That is not an error by itself: the program is to be
	// compiled with Options.Undef.
	Untracked bool

	Decl ir.Pos // the declaration of what it is about; may be NoPos
	Mark string // what the place of the write is marked with that the thread read last at Action.Addr; may be empty
}

// ErrorKind classifies errors, as in the JSON output.
type ErrorKind string

const (
	AssertionError ErrorKind = "assertion"
	RaceError      ErrorKind = "race"
	MemoryError    ErrorKind = "memory"
	UninitError    ErrorKind = "uninitialised"
	DeadlockError  ErrorKind = "deadlock"
	LivenessError  ErrorKind = "liveness"
	LeakError      ErrorKind = "leak"
	UnfreedError   ErrorKind = "unfreed"
	CallError      ErrorKind = "call"
	ArithError     ErrorKind = "arithmetic"
	// UnreachableError: the program reached what the compiler was promised it never would.
	UnreachableError ErrorKind = "unreachable"
	// Unsupported is not a verdict on the program: ravel can't run it.
	Unsupported ErrorKind = "unsupported"
)
