package machine

import "ravel/internal/event"

// Nameless reports whether no thread of p can learn its number but by allocating an object, whose address has it.
func (p *Program) Nameless() bool {
	for i := range p.code {
		if op := p.code[i].op; op == opSelf || op == opTLS {
			return false
		}
	}
	return true
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
