package enumerate

import (
	"ravel/internal/cat"
	"ravel/internal/litmus"
)

// Judge says what the model thinks of an execution that a run under another model has shown, without a run of its own: f sees the result
// for each choice that the model itself has. It is false, and f is not called, if the execution lacks what the model looks at: a
// coherence order, where the other model has its own, or the tags of another bell file.
func (m *Model) Judge(t *litmus.Test, x *Execution, f func(*cat.Result)) (bool, error) {
	t, err := m.instructions(t)
	if err != nil {
		return false, err
	}
	c, err := m.compile(t)
	if err != nil {
		return false, err
	}
	if c.voc != x.Exec.Voc || c.inside != x.inside || c.merged != x.merged || c.usesCo && !x.ordered {
		return false, nil
	}
	mach := c.machines.Get().(*cat.Machine)
	defer c.machines.Put(mach)
	return true, mach.Run(x.Exec, func(r *cat.Result) bool {
		f(r)
		return true
	})
}
