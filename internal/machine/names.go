package machine

import "ravel/internal/event"

// Nameless reports whether no thread of p can learn its number but by allocating an object, whose address has it.
func (p *Program) Nameless() bool {
	for i := range p.code {
		if op := p.code[i].op; op == opSelf || op == opOwner || op == opTLS {
			return false
		}
	}
	return true
}

// named notes that the thread of the frame r looks at its number.
func (a *Arena) named(r frame) {
	if t := int(r[frameThread] & threadMask); t != 0 {
		a.Named = t
	}
}

// HasOwners reports whether threads write their numbers to lock words, which they compare with their own number only.
func (p *Program) HasOwners() bool {
	for i := range p.code {
		if p.code[i].op == opOwner {
			return true
		}
	}
	return false
}

// SetThread gives the thread whose top frame has the words (Freezer.Top) another number.
func SetThread(words []uint64, thread int) {
	words[1] = words[1]&^threadMask | uint64(thread)
}

// IgnoresArgument reports whether the function at fn, which threads start with, never reads its argument.
func (p *Program) IgnoresArgument(fn event.Addr) bool {
	f := p.funcAt(uint64(fn))
	return f != nil && (len(f.params) == 0 || f.params[0] == noColour)
}
