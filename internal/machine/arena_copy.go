package machine

// CopyFrom makes a a copy of b: states of b are states of a.
func (a *Arena) CopyFrom(b *Arena) {
	a.reserve(b.top)
	copy(a.words, b.words[:b.top])
	a.top = b.top
}
