package brute

import (
	"slices"
	"strconv"
	"strings"

	"ravel/internal/event"
)

// An Execution is one execution of a program.
type Execution struct {
	Prog    *Prog
	Threads [][]Event // of each thread, in program order
	// Co has the writes to each location in coherence order, without the initial write.
	// It is nil where coherence is not part of the execution (see Observed).
	Co [][]Ref
	// Race: two accesses to one location, not both reads, one of them na, are not ordered by hb.
	// hb is that of the model for ra, rc11 and rc11-2017, and that of rc11 for the others.
	Race bool
}

// An Event is a read, a write or a fence, or starts or joins a thread. A read-modify-write is a read and,
// unless it is a failed CAS, the write that follows it at once.
type Event struct {
	Kind   EventKind
	Loc    int // index into Prog.Locs; NoLoc for fences
	Val    uint32
	Mode   event.Mode
	Tag    event.Tag // the same for both halves of a read-modify-write
	Locked bool      // of a read-modify-write instruction; a failed CAS is one too
	Failed bool      // R of a weak CAS: it failed though it read the expected value
	Src    Ref       // R: the write it reads from
	Other  int       // S, J: the thread

	// What it depends on, by the text of the program:
	Addr Deps // R, W: the reads that its address is computed from
	Data Deps // W: the reads that its value is computed from; that of a fetch-add also from its own
	Ctrl Deps // the reads that earlier branches test, also after the branches join; a CAS branches on its comparison
	Cas  Deps // R of a CAS: the reads that the expected value is computed from
	Open Deps // those of Ctrl in whose arms the event is; of the write of a CAS also those that the CAS compares
}

// Deps is a set of reads of the same thread, by their indices.
type Deps uint32

// Has reports whether the read with index i is in d.
func (d Deps) Has(i int) bool { return d>>i&1 != 0 }

// EventKind is the kind of an event.
type EventKind uint8

const (
	R EventKind = iota
	W
	F
	S // starts a thread
	J // waits for its end

	begin // of a thread that was started
	end
)

// NoLoc is the location of a fence.
const NoLoc = -1

// Last returns the last value of each location.
func (e *Execution) Last() []uint32 {
	last := make([]uint32, len(e.Co))
	for l, co := range e.Co {
		if len(co) > 0 {
			w := co[len(co)-1]
			last[l] = e.Threads[w.Thread][w.Index].Val
		}
	}
	return last
}

// A Ref names an event: the thread, in order of creation from 0 without main, and
// the event's index in program order from 0, counting what is in Execution.Threads.
type Ref struct{ Thread, Index int }

// Init names the initial write of a location.
var Init = Ref{-1, -1}

func (r Ref) String() string { return string(r.append(nil)) }

func (r Ref) append(b []byte) []byte {
	if r == Init {
		return append(b, "(init)"...)
	}
	b = strconv.AppendInt(append(b, '('), int64(r.Thread), 10)
	b = strconv.AppendInt(append(b, ','), int64(r.Index), 10)
	return append(b, ')')
}

// Key returns a string that two executions of a program share iff they are the same.
// It is one line for each thread, in order of creation, with its events in program order, then
// one line for each location that is written to, sorted by name, with its writes in co:
//
//	0: W x 1; F sc; R y 0<-(init)
//	1: R x 1<-(0,0); W x 2; R y 0<-(init)
//	co x: (0,0) (1,1)
//
// A fence shows its mode, or its tag if it has one, an access shows neither; the write half of a read-modify-write is an event
// of its own right after its read. A thread without events is "0:". There are no co lines if Co
// is nil. Each line ends with a newline.
func (e *Execution) Key() string {
	var b []byte // Key is called for each execution of each random program: fmt would take most of the time
	for t, evs := range e.Threads {
		b = append(strconv.AppendInt(b, int64(t), 10), ':')
		for i, ev := range evs {
			if i > 0 {
				b = append(b, ';')
			}
			switch ev.Kind {
			case R:
				b = append(append(b, " R "...), e.Prog.Locs[ev.Loc]...)
				b = strconv.AppendUint(append(b, ' '), uint64(ev.Val), 10)
				b = ev.Src.append(append(b, "<-"...))
			case W:
				b = append(append(b, " W "...), e.Prog.Locs[ev.Loc]...)
				b = strconv.AppendUint(append(b, ' '), uint64(ev.Val), 10)
			case F:
				b = append(b, " F "...)
				if ev.Tag != event.NoTag {
					b = append(b, ev.Tag.String()...)
				} else {
					b = append(b, ev.Mode.String()...)
				}
			case S:
				b = strconv.AppendInt(append(b, " S "...), int64(ev.Other), 10)
			case J:
				b = strconv.AppendInt(append(b, " J "...), int64(ev.Other), 10)
			}
		}
		b = append(b, '\n')
	}
	var written []int
	for l, ws := range e.Co {
		if len(ws) > 0 {
			written = append(written, l)
		}
	}
	slices.SortFunc(written, func(k, l int) int { return strings.Compare(e.Prog.Locs[k], e.Prog.Locs[l]) })
	for _, l := range written {
		b = append(append(append(b, "co "...), e.Prog.Locs[l]...), ':')
		for _, w := range e.Co[l] {
			b = w.append(append(b, ' '))
		}
		b = append(b, '\n')
	}
	return string(b)
}

// Observed returns the executions without coherence, those that differed only in it once:
// what an engine counts that tells executions apart by rf only.
func Observed(xs []Execution) []Execution {
	var out []Execution
	seen := make(map[string]bool)
	for _, x := range xs {
		x.Co = nil
		if k := x.Key(); !seen[k] {
			seen[k] = true
			out = append(out, x)
		}
	}
	return out
}
