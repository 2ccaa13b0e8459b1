package states

import (
	"math"
	"sync/atomic"
	"unsafe"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// A local is one thread by itself: where it is stopped, and what it does next. As a thread
// is a function of the values it receives, locals and the steps between them are computed once and
// remembered: most transitions run no program code at all.
type local struct {
	act    machine.Action
	pos    ir.Pos // of the program's source
	thread int32
	lineage
	loads        int             // lmo: loads whose value it has not got yet
	waits        int             // lmo: the value to come that it needs to go on, -1 if none
	lock         bool            // it waits for others where it spins
	whole        bool            // the access is not a piece of a larger one
	pastDeferred bool            // rmo: it has deferred instructions
	missing      uint8           // rmo: of issue, as in an entry
	joined       bool            // the thread has ended and was joined
	issue        *machine.Action // rmo: the access that it may issue though it waits
	outcomes     int             // rmo: of the branch that it waits at, if it may guess it
	page         atomic.Int32
	future       *future   // what it may do from here on
	footprint    footprint // of its access, nil if it is none
}

// A lineage counts the threads that a thread has created and joined.
type lineage struct{ creates, joins int32 }

// like returns a copy of l for another chunk.
func (l *local) like(thread int32) *local {
	return &local{
		act: l.act, pos: l.pos, thread: thread, lineage: l.lineage, loads: l.loads, waits: l.waits, lock: l.lock, whole: l.whole, joined: l.joined,
		pastDeferred: l.pastDeferred, missing: l.missing, issue: l.issue, outcomes: l.outcomes, future: l.future, footprint: l.footprint,
	}
}

const localBytes = int64(unsafe.Sizeof(local{}))

// waitKind is the action of a thread that needs the value of a load which is still in its buffer.
const waitKind = machine.Fail + 1

// The words of a local before its frames.
const (
	localMeta = iota // creates:16 loads:8 waits+1:8 words of its machine.Pending:16 joins:14
	localAddr
	localVal
	localValHi
	localExp
	localExpHi
	localN
	localHeader
)

// In localMeta: the thread has ended, with the result in localVal; it was joined.
const (
	ended  = 1 << 63
	joined = 1 << 62
)

// The ways to go on from a local.
const (
	opResume    = iota // with a value
	opFail             // a weak CAS fails spuriously
	opCreated          // resume with the number of a new thread
	opDefer            // a load or a read-modify-write goes to the buffer, the thread goes on without its value
	opDeferFail        // … a weak CAS that fails spuriously
	opIssue            // an access that waits goes to the buffer as it is
	opIssueFail        // … a weak CAS that fails spuriously
	opGuess            // a branch is guessed, the value is its outcome
	opDeliver          // the value of a load, opDeliver+i of the ith in the buffer

	opAlias = opDeliver + machine.MaxLoads // a load reads a write whose value is to come, opAlias+i the ith in the buffer
)

// A step is where a thread gets from a local.
type step struct {
	next uint32
	drop uint32 // lmo: loads of the buffer whose values are not needed any more
	fill uint32 // rmo: the values of accesses in the buffer that are known now (fillAccesses)
}

type memo struct {
	lo, hi uint64
	id     uint32
	op     uint32
	step
}

const memoBits = 13

// resume returns where thread id gets to with v.
func (w *worker) resume(id uint32, op uint32, v event.Value) step {
	h := mix(uint64(id)<<8 ^ uint64(op) ^ mix(v.Lo^v.Hi<<7)<<32)
	m := &w.memos[h>>(64-memoBits)]
	if m.id == id && m.op == op && m.lo == v.Lo && m.hi == v.Hi {
		return m.step
	}
	st := w.compute(id, op, v)
	if id != st.next && st.next != 0 {
		if op != opFail && op != opDeferFail && op != opIssueFail { // those are on no endless execution (cycle.go)
			w.edges.add(uint64(id)<<32 | uint64(st.next))
		}
		w.leads(w.locals.at(id).local.future, w.locals.at(st.next).local.future)
	}
	*m = memo{v.Lo, v.Hi, id, op, st}
	return st
}

// compute runs the machine.
func (w *worker) compute(id uint32, op uint32, v event.Value) step {
	l := w.locals.at(id).local
	if w.isLazy() {
		if st, ok := w.computeLazily(id, l, fewFrames, op, v); ok {
			return st
		}
		st, _ := w.computeLazily(id, l, math.MaxInt, op, v)
		return st
	}
	var act machine.Action
	s := w.resumed(id, fewFrames, op, v, &act)
	if w.below != 0 && !w.intact(s, &act) {
		s = w.resumed(id, math.MaxInt, op, v, &act)
	}
	return step{next: w.freeze(s, &act, l.thread, l.lineageAfter(op), nil, 0, -1)}
}

// lineageAfter returns the lineage of the thread of l after op.
func (l *local) lineageAfter(op uint32) lineage {
	k := l.lineage
	if op == opCreated {
		k.creates++
	}
	if op == opResume && l.act.Kind == machine.Join {
		k.joins++
	}
	return k
}

// intact reports whether a thread has not returned to the last of the frames that were thawed: that is copied then.
func (w *worker) intact(s machine.State, act *machine.Action) bool {
	if act.Kind == machine.Exit {
		return false
	}
	last := w.thawed[len(w.thawed)-1].at
	for s != 0 && s != last {
		s = w.arena.Caller(s)
	}
	return s == last
}

// resumed thaws a thread and runs it to its next action.
func (w *worker) resumed(id uint32, callers int, op uint32, v event.Value, act *machine.Action) machine.State {
	s := w.thaw(id, callers)
	if op == opFail {
		return w.prog.ResumeFailed(&w.arena, s, v, act)
	}
	return w.prog.Resume(&w.arena, s, v, act)
}

// fewFrames is how many callers are thawed at first: a thread that is thousands of calls deep seldom returns from more before it does
// something. Among them should be the one that called a library, as reports say where that was. Tests change it.
var fewFrames = 32

// thaw puts a thread into the arena, alone, with at most this many callers. Those that are left out are w.below.
func (w *worker) thaw(id uint32, callers int) machine.State {
	w.arena.Release(0)
	w.thawed = w.thawed[:0]
	words := w.locals.words(id)
	pending := int(words[localMeta] >> 32 & 0xffff)
	part := machine.Stopped
	if words[localMeta]>>24&0xff != 0 {
		part = machine.Waiting
	}
	top := words[localHeader+pending:]
	w.below = uint32(top[0] >> 32)
	for ; w.below != 0 && len(w.thawed) < callers; w.below = uint32(w.frames.words(w.below)[0] >> 32) {
		w.thawed = append(w.thawed, thawed{id: w.below})
	}
	at := machine.State(0)
	for i := len(w.thawed) - 1; i >= 0; i-- {
		at = w.thawFrame(w.frames.words(w.thawed[i].id), machine.Caller, at)
		w.thawed[i].at = at
	}
	return w.thawFrame(top, part, at)
}

// thawed is a frame that is in the arena as it is stored.
type thawed struct {
	id uint32
	at machine.State
}

func (w *worker) thawFrame(words []uint64, part machine.Part, parent machine.State) machine.State {
	w.words = append(w.words[:0], words...)
	w.words[0] = uint64(uint32(words[0]))
	return w.freezer.Thaw(&w.arena, w.words, part, parent)
}

// freeze returns the number of the local that a thread, stopped at act, is.
func (w *worker) freeze(s machine.State, act *machine.Action, thread int32, k lineage, values *machine.Pending, loads, waits int) uint32 {
	if act.Kind == machine.Exit {
		words := [...]uint64{ended | uint64(thread)<<16 | uint64(k.creates), 0, act.Val.Lo, act.Val.Hi}
		return w.locals.intern(words[:], func() *local {
			l := &local{act: machine.Action{Kind: machine.Exit, Val: act.Val, Pos: act.Pos}, thread: thread, lineage: k, waits: -1, pos: w.prog.Source(&w.arena, s, act.Pos)}
			w.lookAhead(l, 0)
			w.noteAsymmetry(l)
			return l
		})
	}
	part := machine.Stopped
	if waits >= 0 {
		part = machine.Waiting
	}
	words, up := w.freezer.Top(&w.arena, s, part, w.top[:0])
	parent := w.freezeFrames(up)
	buf := append(w.local[:0], 0, uint64(act.Addr), act.Val.Lo, act.Val.Hi, act.Exp.Lo, act.Exp.Hi, uint64(act.N))
	if values != nil {
		buf = w.encodePending(values, buf)
	}
	buf[localMeta] = uint64(k.creates) | uint64(loads)<<16 | uint64(waits+1)<<24 | uint64(len(buf)-localHeader)<<32 | uint64(k.joins&(1<<14-1))<<48
	at := len(buf)
	buf = append(buf, words...)
	buf[at] |= uint64(parent) << 32
	w.top, w.local = words, buf
	return w.locals.intern(buf, func() *local {
		l := &local{act: *act, thread: thread, lineage: k, loads: loads, waits: waits, pos: w.prog.Source(&w.arena, s, act.Pos)}
		l.whole = !machine.InPieces(words)
		if values != nil {
			l.pastDeferred = len(values.Deferred)+len(values.Incomplete) > 0
		}
		if waits >= 0 {
			w.findIssue(l, s)
		}
		blocks, known := w.prog.Blocking(&w.arena, s)
		l.lock = act.Private || blocks || !known && w.below != 0 && w.frames.at(w.below).local == blockingFrame
		w.lookAhead(l, s)
		w.noteAsymmetry(l)
		return l
	})
}

// findIssue finds the access that l, stopped at s, may issue, or the branch that it may guess.
func (w *worker) findIssue(l *local, s machine.State) {
	l.outcomes = w.lazy.Outcomes(&w.arena, s)
	a, missing, ok := w.lazy.Issuable(&w.arena, s)
	if !ok {
		return
	}
	l.issue = &a
	for part, is := range missing {
		if is {
			l.missing |= 1 << part
		}
	}
}

// join returns the local of a thread that has ended, once it was joined.
func (w *worker) join(l *local) uint32 {
	words := [...]uint64{ended | joined | uint64(l.thread)<<16 | uint64(l.creates)}
	return w.locals.intern(words[:], func() *local {
		return &local{act: machine.Action{Kind: machine.Exit, Pos: l.act.Pos}, thread: l.thread, lineage: l.lineage, waits: -1, pos: l.pos, joined: true, future: l.future}
	})
}

// freezeFrames returns the number of the frame s and those below it.
func (w *worker) freezeFrames(s machine.State) uint32 {
	if s == 0 {
		return w.below
	}
	for i := range w.thawed {
		if w.thawed[i].at == s {
			return w.thawed[i].id
		}
	}
	words, up := w.freezer.Top(&w.arena, s, machine.Caller, nil)
	parent := w.freezeFrames(up)
	words[0] |= uint64(parent) << 32
	return w.frames.intern(words, func() *local {
		if blocks, known := w.prog.BlockingCaller(words); blocks || !known && parent != 0 && w.frames.at(parent).local == blockingFrame {
			return blockingFrame
		}
		return nil
	})
}

// blockingFrame is what belongs to a frame that waits for others, or was called by one that does.
var blockingFrame = new(local)

// isAccess reports whether the thread is about to access memory.
func (l *local) isAccess() bool { return l.act.Kind <= machine.RMW }
