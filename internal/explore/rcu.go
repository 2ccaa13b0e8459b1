package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// What the Linux kernel's RCU and SRCU need beyond other fences. An event of SRCU has the address of the srcu_struct in
// Val.Lo. srcu_read_lock returns a name of its event, in Val.Hi, and srcu_read_unlock is given one.

// usesRCU checks a use of RCU. It returns false if that is an error.
func (w *worker) usesRCU(t int32, act *machine.Action) bool {
	if !w.traits.Kernel {
		w.fail(t, &machine.Error{
			Kind:    machine.Unsupported,
			Message: fmt.Sprintf("%s is known to --model lkmm only, not to %s", act.Tag, w.m.Name()),
		})
		return false
	}
	var wrong string
	kind := machine.CallError
	var others []related
	open := w.openSections(t)
	switch act.Tag {
	case event.RCUUnlock:
		if len(open[0]) == 0 {
			wrong = "rcu_read_unlock without rcu_read_lock"
		}
	case event.SRCUUnlock:
		if !w.isSRCULock(act) {
			wrong = "srcu_read_unlock with a number that srcu_read_lock of this srcu_struct did not return"
		}
	case event.SyncRCU, event.SyncSRCU:
		in := open[0]
		if act.Tag == event.SyncSRCU && len(in) == 0 {
			in = open[act.Addr]
		}
		switch {
		case len(in) == 0:
		case act.Tag == event.SyncSRCU && len(open[0]) > 0:
			wrong = "synchronize_srcu waits, which is not allowed in an RCU read-side critical section"
		default:
			kind = machine.DeadlockError
			wrong = fmt.Sprintf("%s inside of a read-side critical section waits for itself", act.Tag)
		}
		if wrong != "" {
			others = []related{{id: in[0], what: "the section begins here"}}
		}
	}
	if wrong == "" {
		return true
	}
	w.fail(t, &machine.Error{Kind: kind, Message: wrong}, others...)
	return false
}

// openSections returns the beginnings of the read-side critical sections that thread t is in, by srcu_struct; 0 is RCU. The thread has
// no holes before its next event.
func (w *worker) openSections(t int32) map[event.Addr][]graph.ID {
	open := map[event.Addr][]graph.ID{}
	for _, id := range w.g.Threads[t][:w.g.FirstHole(t)] {
		e := &w.g.Events[id]
		if e.Kind != graph.Fence {
			continue
		}
		at := event.Addr(e.Val.Lo)
		switch e.Tag {
		case event.RCULock:
			open[0] = append(open[0], id)
		case event.RCUUnlock:
			open[0] = open[0][:len(open[0])-1]
		case event.SRCULock:
			open[at] = append(open[at], id)
		case event.SRCUUnlock:
			for k, o := range open[at] {
				if w.g.Events[o].Val == e.Val {
					open[at] = append(open[at][:k:k], open[at][k+1:]...)
					break
				}
			}
		}
	}
	return open
}

// isSRCULock reports whether the number that the srcu_read_unlock act is given is that of a srcu_read_lock.
func (w *worker) isSRCULock(act *machine.Action) bool {
	t, i := act.Val.Lo>>20, act.Val.Lo&(1<<20-1)
	if t >= uint64(len(w.g.Threads)) || i >= uint64(len(w.g.Threads[t])) || w.g.Threads[t][i] == graph.Hole {
		return false
	}
	e := &w.g.Events[w.g.Threads[t][i]]
	return e.Kind == graph.Fence && e.Tag == event.SRCULock && e.Val.Lo == uint64(act.Addr)
}

// sectionsEnd reports whether thread t, which ends, has left its RCU read-side critical sections. srcu_read_unlock may be up to another thread.
func (w *worker) sectionsEnd(t int32) bool {
	if !w.traits.Kernel {
		return true
	}
	open := w.openSections(t)[0]
	if len(open) == 0 {
		return true
	}
	w.failEvent(open[0], &machine.Error{
		Kind: machine.CallError, Message: "the thread ends in this read-side critical section", Label: "the section begins here",
	})
	return false
}
