package litmus

import "ravel/internal/litmus"

// Interleave returns the final states of a test that runs one instruction after the other, as text, and in how
// many the condition is true and false. ok is false if there are too many states, or loops were cut.
func Interleave(t *litmus.Test) (states []string, positive, negative int, ok bool) {
	r, ok := runSC(t)
	if !ok || r.cut {
		return nil, 0, 0, false
	}
	states, positive, negative = r.outcomes()
	return states, positive, negative, true
}
