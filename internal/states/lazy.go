package states

import (
	"ravel/internal/event"
	"ravel/internal/machine"
)

func (w *worker) lazy() bool { return false }

func (w *worker) computeLazily(id uint32, l *local, s machine.State, op uint32, v event.Value) step {
	panic("not yet")
}

func (w *worker) defers(l *local) bool { return false }

func (w *worker) deferLoad(id uint32, l *local, list []entry) bool { return false }

func (w *worker) dropLoads(t int32, drop uint32) {}

func (w *worker) arrives(t int32, i int) bool { return false }
