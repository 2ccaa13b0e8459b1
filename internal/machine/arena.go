package machine

import (
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// An Arena holds thread states, last in first out, as flat words without Go pointers.
// One per worker. The zero Arena is ready for use.
type Arena struct {
	words []uint64 // always a window longer than what is in use
	top   int
	deps  event.DepTable // of the dependencies that registers carry
	round roundCheck

	blocks bool // the thread that is at the end of a round is to block there
	// Named is a thread other than main that has looked at its number, or at where its thread-local variables are; 0 if none has since it was set to 0.
	Named int

	// Stop, if set, is asked now and then during a long computation: true is to give it up.
	Stop func() bool
}

// Reuse returns an empty arena that has the memory of a, which is not used any more.
func (a *Arena) Reuse() Arena { return Arena{words: a.words} }

// A State is a stopped thread: the offset of its top frame in an Arena. 0 is not a state.
//
// A frame is a header and the registers of one function. Its words never change once the
// thread has stopped, and frames of callers are shared between states.
type State uint32

// The words of a frame's header.
const (
	frameCode   = iota // pc:32 parent:32, the offset of the caller's frame
	frameThread        // thread:10 depth:22 phase:8 slot:24
	frameClock         // events:32 effects:32
	frameZero          // always 0: the register of constant operands
	frameHeader

	frameDeps = frameHeader   // see shadow.go; with Options.Deps only, and registers come after it
	frameOpen = frameDeps + 1 // see arms.go; with Options.Arms only, and registers come after it
)

const (
	threadMask = 1<<10 - 1
	depthShift = 10
	depthMask  = 1<<22 - 1
	phaseShift = 32
	phaseMask  = 0xff << phaseShift // progress of an access in pieces, see pieces.go; only top frames have it
	slotShift  = 40                 // next free slot of the thread
	effectOne  = 1 << 32
	eventMask  = 1<<32 - 1
)

// window is how many words of an arena a frame can address: as register numbers have 16 bits,
// indexing an array of that size needs no bounds checks.
const window = 1 << 16

type frame = *[window]uint64

// Deps returns the table of the dependency sets of the arena's states.
func (a *Arena) Deps() *event.DepTable { return &a.deps }

func (a *Arena) frame(base int) frame { return frame(a.words[base : base+window]) }

// reserve makes sure that a frame can begin at base.
func (a *Arena) reserve(base int) {
	if base+window > len(a.words) {
		n := 2 * len(a.words)
		if n > 1<<24 { // memory may be scarce
			n = len(a.words) + len(a.words)/4
		}
		words := make([]uint64, max(n, base+window+window/8)) // most programs are small
		copy(words, a.words[:min(base, len(a.words))])
		a.words = words
	}
}

// Mark returns a mark for Release.
func (a *Arena) Mark() int { return a.top }

// Release drops everything allocated since the mark was made.
func (a *Arena) Release(mark int) { a.top = mark }

// size returns the number of words that a stopped frame has.
func (p *Program) size(f []uint64) int {
	in := &p.code[uint32(f[frameCode])]
	if f[frameThread]&phaseMask != 0 {
		return int(in.frame)
	}
	return int(in.live)
}

// Stack returns the call stack of a stopped thread, innermost first: one position for every call,
// those that were inlined included (so InlinedAt is not to be followed again).
func (p *Program) Stack(a *Arena, s State) []ir.Pos {
	var stack []ir.Pos
	for s != 0 {
		w := a.words[s+frameCode]
		pos := p.code[uint32(w)].pos
		stack = append(stack, pos)
		for pos != ir.NoPos && p.src.Positions[pos].InlinedAt != ir.NoPos {
			pos = p.src.Positions[pos].InlinedAt
			stack = append(stack, pos)
		}
		s = State(w >> 32)
	}
	return stack
}

// Source returns where the program's source has what a stopped thread does at pos: for what a library does, where the program
// called it.
func (p *Program) Source(a *Arena, s State, pos ir.Pos) ir.Pos {
	if p.IsOwn(pos) || s == 0 {
		return pos
	}
	stack := p.Stack(a, s)
	for _, at := range stack {
		if p.IsOwn(at) {
			return at
		}
	}
	for _, at := range append([]ir.Pos{pos}, stack...) {
		if at != ir.NoPos && p.src.Positions[at].Line > 0 {
			return at
		}
	}
	return pos
}

// Via returns the function of a library that the program's source calls where Source says, and that does what a stopped thread does at pos; "" if the source
// itself does it.
func (p *Program) Via(a *Arena, s State, pos ir.Pos) string {
	if p.IsOwn(pos) || s == 0 {
		return ""
	}
	stack := p.Stack(a, s)
	if i := slices.IndexFunc(stack, p.IsOwn); i > 0 {
		return p.src.Positions[stack[i-1]].Func
	}
	return ""
}

// Keeps reports whether a stopped thread is in a function of Rust's standard library that starts threads: what is known of a thread
// that is never joined is not freed (frontend/llvm/rust_link.go).
func (p *Program) Keeps(a *Arena, s State) bool {
	for _, at := range p.Stack(a, s) {
		if p.IsOwn(at) {
			return false
		}
		if name := p.src.Positions[at].Func; strings.HasPrefix(name, "spawn_unchecked<") || strings.HasPrefix(name, "scope<") {
			return true
		}
	}
	return false
}

// IsOwn reports whether a position is in the program's source, not in a library.
func (p *Program) IsOwn(pos ir.Pos) bool {
	at := &p.src.Positions[pos]
	return pos != ir.NoPos && at.Line > 0 && at.File >= 0 && at.File < len(p.own) && p.own[at.File]
}
