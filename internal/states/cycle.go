package states

// A lasso is an endless execution: a state, and moves that lead from it back to it.
type lasso struct {
	state uint64
	cycle []move
}

func (w *worker) divergence() {}
