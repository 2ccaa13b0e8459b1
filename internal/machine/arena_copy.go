package machine

import "ravel/internal/event"

// CopyFrom makes a a copy of b: states of b are states of a.
func (a *Arena) CopyFrom(b *Arena) {
	a.reserve(b.top)
	copy(a.words, b.words[:b.top])
	a.top = b.top
	a.deps.CopyFrom(&b.deps)
}

// Deps returns the table of the dependency sets of the arena's states.
func (a *Arena) Deps() *event.DepTable { return &a.deps }
