package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// Under rmo an access whose address is to come is in the buffer without it, and younger ones may be performed before it: the definition of RMO
// orders an access with older ones of its thread by dependencies, by fences and by being to the same location, and with nothing else (SPARC V9, appendix
// D; Alpha's is the same in this; Power, ARM and RISC-V order a store after all addresses before it in program order, so they allow less).
// To perform it is to guess that they are to different locations. So it leaves a guess in the buffer, which stays there until
// all older addresses are known. If one of them turns out to be the same, the guess was wrong, and the execution does not count: it is given
// up, as another one did it in the right order.
//
// RMO orders a branch with later stores, but not with later loads. With Options.Speculate a thread may guess a branch that it would have to wait for.
// The guess is in the buffer like an access that lacks a part. Until that is known, later stores and read-modify-writes stay in the buffer,
// and the thread waits before anything else that others can see, or that can't be undone (machine.Lazy). If the branch goes the other way, the execution is given up.
// A thread behind a guess races with nobody: if the guess is right, it is found where the thread is when that is known.
//
// Loops that wait are guessed to go round. The entry of a guess has the number of the local that its thread was at then, apart from what it waits for.
//
// Lemma. Let thread t be in state s at a local behind a guess, let it come to state s' at the same local by moves that put reads and guesses into the buffer, and let no
// register wait for a value at either. Then what is reachable from s' is reachable from s, but for reads of t.
//
// Proof. The registers of t are the same in s and s'. The values of those reads decide those guesses only, so nothing later depends on them. Without these entries
// every entry that may leave the buffer still may, and fewer guesses have to turn out right. Moves of other threads between s and s' do not depend on t, whose
// buffer only got longer, so they can be made from s. ∎
//
// So the second guess is not made. Every guess takes one of the instructions that can be deferred, so there are not more than there is room for.
//
// An error in a state with guesses is one only if the guesses turn out right. So it waits, as long as something can leave a
// buffer that has guesses: then it is found in the state after that, too. If nothing can but what is an error itself, then no
// guess will ever be wrong, and it is one.

// isOpen reports whether an entry of the list lacks its address.
func isOpen(list []entry) bool {
	for i := range list {
		if list[i].missing&missingAddr != 0 {
			return true
		}
	}
	return false
}

func guessOf(a event.Addr, size uint64) entry {
	return entry{addr: a, kind: guess, val: event.Value{Lo: size}}
}

// hasGuess reports whether a guess about the same bytes as g is in the list.
func hasGuess(list []entry, g entry) bool {
	for i := range list {
		if list[i].kind == guess && list[i].addr == g.addr && list[i].val == g.val {
			return true
		}
	}
	return false
}

// passes notes that what is at [a, a+size) was accessed, or freed, before the entries of t's buffer leave it. It returns false if there
// is no room to note that.
func (w *worker) passes(t int32, a event.Addr, size uint64) bool {
	list := w.buffer(t)
	if w.model < RMO || !isOpen(list) {
		return true
	}
	if w.bufferFull(list) {
		return false
	}
	w.cost = RMO
	w.setBuffer(t, append(list, guessOf(a, size)))
	return true
}

// hasGuesses reports whether there are guesses about t's addresses or branches.
func (w *worker) hasGuesses(t int32) bool {
	if w.leaf(bufferLeaf(t)) == 0 {
		return false
	}
	for _, e := range w.buffer(t) {
		if e.kind == guess || e.kind == branch {
			return true
		}
	}
	return false
}

// guessesBranch reports whether thread t is behind a branch that it has guessed.
func (w *worker) guessesBranch(t int32) bool {
	if !w.opts.Speculate || w.leaf(bufferLeaf(t)) == 0 {
		return false
	}
	return slices.ContainsFunc(w.buffer(t), func(e entry) bool { return e.kind == branch })
}

// guessBranch lets the thread that l is go on behind the branch that it waits at, as if it had this outcome.
func (w *worker) guessBranch(id uint32, l *local, outcome int32) bool {
	v := event.Value{Lo: uint64(outcome)}
	st := w.resume(id, opGuess, v)
	list := w.buffer(l.thread)
	e := entry{addr: event.Addr(w.landing(st.next)), kind: branch, missing: 1 << machine.PartBranch, val: v}
	for i := len(list) - 1; e.addr != 0 && i >= 0 && (list[i].kind == read || list[i].kind == branch); i-- {
		if list[i].kind == branch && list[i].addr == e.addr {
			return false // a round of a loop that only reads
		}
	}
	w.setBuffer(l.thread, append(list, e))
	return w.arrive(l.thread, st)
}

// landing returns a number of where a thread is behind a guess, whatever it waits for; 0 if a register waits for a value.
func (w *worker) landing(id uint32) uint32 {
	words := w.locals.words(id)
	pending := int(words[localMeta] >> 32 & 0xffff)
	if w.opts.LeakCheck || pending > 0 && uint16(words[localHeader]) > 0 {
		return 0
	}
	w.entryWords = append(append(w.entryWords[:0], words[localMeta+1:localHeader]...), words[localHeader+pending:]...)
	return w.buffers.intern(w.entryWords, nil)
}

// guesses reports whether there are guesses about anyone's addresses.
func (w *worker) guesses() bool {
	for t := range int32(w.threads) {
		if w.model >= RMO && w.hasGuesses(t) {
			return true
		}
	}
	return false
}

// try makes every move of a persistent set from the state that the worker holds, and undoes it. It calls f after each that is possible, and after each
// that is an error: then ok is false. It reports whether f does for any, or one showed a guess to be wrong.
func (w *worker) try(c persistentSet, f func(m move, ok bool) bool) (moved bool) {
	var errors []move
	goesOn := false
	w.movesOf(c, func(m move) {
		guessed := m.kind == leave && w.model >= RMO && w.hasGuesses(m.thread)
		ok := w.perform(m)
		switch {
		case ok || w.wrong:
			goesOn = goesOn || guessed
			moved = w.wrong || f(m, true) || moved
		case w.fault != nil && w.guesses():
			errors = append(errors, m)
		case w.fault != nil:
			moved = f(m, false) || moved
		}
		w.undo()
	})
	if goesOn {
		return true
	}
	for _, m := range errors {
		w.perform(m)
		moved = f(m, false) || moved
		w.undo()
	}
	return moved
}

// located looks at an access of t whose address has become known; at has its place in the program. It returns false if it is an error.
func (w *worker) located(t int32, e *entry, at *local) bool {
	at.thread = t
	at.act = machine.Action{Kind: machine.Load, Addr: e.addr, Size: e.size}
	if e.kind != read {
		at.act.Kind = machine.Store
	}
	if err := w.prog.AccessFault(e.addr, e.size, e.kind != read, e.kind != rmw); err != nil {
		w.fail(at, err)
		return false
	}
	if e.addr&event.Addr(e.size-1) != 0 {
		w.fail(at, &machine.Error{Kind: machine.Unsupported, Message: "under rmo, an address that depends on a load must be aligned"})
		return false
	}
	w.does(w.locals.at(w.leaf(localLeaf(t))).local.future, w.footprintOf(&at.act))
	return w.validAccess(at)
}
