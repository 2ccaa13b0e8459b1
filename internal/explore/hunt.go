package explore

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// Hunting: random walks instead of an exploration, for programs that are too large to explore.
//
// A walk builds one execution. Wherever the exploration would branch (which thread moves, what a read reads, where a write goes in co, which
// value is chosen), it decides. Nothing is revisited: a read reads what is there when its thread moves, so a different order of threads gives the other
// executions. Each consistent execution without a cycle in po ∪ rf has a positive probability. Errors are found and reported as in an exploration, so
// none is false.
//
// Walks differ in their policy, which is drawn for each:
//
//   - threads: by priorities that change at a few random moments (Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with
//     probabilistic guarantees of finding bugs", ASPLOS'10), or at random, with long or short turns;
//   - reads: of the latest write, except for a few or many (Gao, Chakraborty, Ozkan: "Probabilistic concurrency testing for weak memory
//     programs", ASPLOS'23).
//
// Half of the walks go on from where an earlier one first saw something rare: a read that read from a write which it had never read from, by their
// places in the source. Such a walk repeats a part of the decisions of the earlier one and goes on at random.

// A Hunt is what random walks found out.
type Hunt struct {
	Walks    int64
	Distinct int64   // executions that differ in rf or co
	About    bool    // Distinct is an estimate
	New      float64 // an estimate of the probability that the next walk shows an execution that none has shown
}

// A hunter is what a worker needs to hunt.
type hunter struct {
	rng    *rand.Rand
	policy policy

	made   []uint16 // the decisions of this walk
	repeat []uint16 // decisions to make first
	rare   bool     // it saw something for the first time
	length int      // events of the longest walk
	low    int      // a priority below all others
	can    []int32  // scratch

	seeds [][]uint16             // decisions of walks that saw something for the first time
	pairs map[[2]ir.Pos]struct{} // what reads have read from
	seen  map[uint64]bool        // executions by their fingerprints: whether they were seen again
}

// A policy says how a walk decides.
type policy struct {
	priorities []int   // by thread; nil: threads move at random
	changes    []int   // after how many events the thread that moves gets the lowest priority
	turn       float64 // without priorities: the probability that another thread moves next
	stale      float64 // that a read does not read the latest
	spurious   bool    // weak CASes may fail spuriously
}

// Limits of what a hunter remembers.
const (
	maxSeeds = 1000
	maxSeen  = 2_000_000
)

// hunt walks until it is told to stop.
func (w *worker) hunt(seed, number uint64) {
	w.weight = 0
	h := newHunter(seed, number)
	for n := 1; !w.stop.Load() && (w.opts.walks == 0 || n <= w.opts.walks); n++ {
		w.nextWalk(h)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prints == nil {
		w.prints = map[uint64]bool{}
	}
	for print, again := range h.seen {
		_, known := w.prints[print]
		w.prints[print] = known || again
	}
}

func newHunter(seed, number uint64) *hunter {
	return &hunter{rng: rand.New(rand.NewPCG(seed, number)), pairs: map[[2]ir.Pos]struct{}{}, seen: map[uint64]bool{}}
}

// nextWalk walks once.
func (w *worker) nextWalk(h *hunter) {
	h.begin(w.threads)
	m := w.mark()
	w.walk(h)
	if h.rare && len(h.seeds) < maxSeeds {
		h.seeds = append(h.seeds, append([]uint16(nil), h.made...))
	}
	h.length = max(h.length, len(w.g.Trail))
	w.undo(m)
	w.flush()
	w.mu.Lock()
	w.walks++
	w.mu.Unlock()
}

// begin draws the policy of a walk.
func (h *hunter) begin(threads int) {
	h.made, h.repeat, h.rare = h.made[:0], nil, false
	h.policy = policy{stale: [...]float64{0, 0.05, 0.2, 0.5}[h.rng.IntN(4)], spurious: h.rng.IntN(4) == 0}
	if h.rng.IntN(2) == 0 {
		h.policy.turn = [...]float64{0.02, 0.1, 0.5, 1}[h.rng.IntN(4)]
	} else {
		h.policy.priorities = h.rng.Perm(threads)
		h.low = 0
		for range h.rng.IntN(4) {
			h.policy.changes = append(h.policy.changes, h.rng.IntN(h.length+1))
		}
	}
	if len(h.seeds) > 0 && h.rng.IntN(2) == 0 {
		s := h.seeds[h.rng.IntN(len(h.seeds))]
		h.repeat = s[:h.rng.IntN(len(s)+1)]
	}
}

// decide returns a number below n: what an earlier walk decided here, or what choose says.
func (h *hunter) decide(n int, choose func() int) int {
	i := 0
	if n > 1 {
		if k := len(h.made); k < len(h.repeat) {
			i = int(h.repeat[k]) % n
		} else {
			i = choose()
		}
		h.made = append(h.made, uint16(i))
	}
	return i
}

// any decides with equal probabilities.
func (h *hunter) any(n int) int { return h.decide(n, func() int { return h.rng.IntN(n) }) }

// walk builds an execution.
func (w *worker) walk(h *hunter) {
	for !w.stop.Load() {
		t := w.mover(h)
		if t < 0 {
			w.leaf(false)
			h.note(w.fingerprint())
			return
		}
		if w.tooLong() {
			w.bounded.Store(true)
			return
		}
		w.last = t
		if !w.walkStep(h, t) {
			return
		}
	}
}

// mover decides which thread moves, -1 if none can. Threads that wait come last.
func (w *worker) mover(h *hunter) int32 {
	can := h.can[:0]
	for _, waiting := range [...]bool{false, true} {
		for t := range w.cur {
			if t := int32(t); w.enabled(t) && w.awaits(t) == waiting {
				can = append(can, t)
			}
		}
		if len(can) > 0 {
			break
		}
	}
	if h.can = can; len(can) == 0 {
		return -1
	}
	p := &h.policy
	return can[h.decide(len(can), func() int {
		best := -1
		for i, t := range can {
			switch {
			case p.priorities == nil && t == w.last && h.rng.Float64() >= p.turn:
				return i
			case p.priorities != nil && (best < 0 || p.priorities[t] > p.priorities[can[best]]):
				best = i
			}
		}
		if best < 0 {
			return h.rng.IntN(len(can))
		}
		for _, c := range p.changes {
			if c == len(w.g.Trail) {
				h.low--
				p.priorities[can[best]] = h.low
				return h.rng.IntN(len(can))
			}
		}
		return best
	})]
}

// walkStep performs the pending action of thread t in one way. It returns false if the walk ends there.
func (w *worker) walkStep(h *hunter, t int32) bool {
	switch act := &w.pendingOf(t).act; act.Kind {
	case machine.Load, machine.RMW:
		return w.walkRead(h, t)
	case machine.Store:
		return w.walkWrite(h, t)
	case machine.Fence:
		if act.Tag.IsRCU() {
			w.fail(t, &machine.Error{Kind: machine.Unsupported, Message: "RCU is not supported by --hunt"})
			return false
		}
	case machine.Choice:
		i := h.any(w.alternatives(t))
		id := w.simple(t, graph.Choice, event.NA)
		w.g.Events[id].Val.Lo = uint64(i)
		return w.resume(t, event.Value{Lo: uint64(i)})
	case machine.Alloc:
		blocks, forgotten := w.reusable(t, act)
		if i := h.any(len(blocks) + 1); i > 0 {
			free := blocks[i-1]
			old := w.g.Locs[w.g.Events[free].Loc].Addr
			return w.allocate(t, w.objectAt(old.Incarnate(old.Incarnation()+1)), free, forgotten)
		}
		return w.allocate(t, w.objectOf(&w.pendingOf(t).act), graph.None, forgotten)
	}
	return w.step(t)
}

// walkRead adds the read that t is at, from a write that it may read.
func (w *worker) walkRead(h *hunter, t int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	g := w.g
	latest := len(g.Locs[loc].Co) - 1
	floors := w.floorsOf(loc, t)
	least := int(floors.plain)
	at := latest - h.decide(latest-least+1, func() int {
		if h.rng.Float64() >= h.policy.stale {
			return 0
		}
		return h.rng.IntN(latest - least + 1)
	})
	for ; at < latest; at++ { // what is not consistent, or would only wait, is passed over
		src := g.Locs[loc].Co[at]
		if may, only := w.mayRead(&floors, t, loc, src); !may || only || w.takes(t, loc, src) && w.takenBy(loc, src) != graph.None || w.dropsWaiting(t, loc) && w.drops(t, loc, src) {
			continue
		}
		m := w.mark()
		if w.addRead(t, loc, src, 0) {
			return w.afterRead(h, t)
		}
		w.undo(m)
		if w.stop.Load() {
			return false
		}
	}
	src := g.Locs[loc].Co[latest]
	flags := uint8(0)
	if w.pendingOf(t).act.Weak && w.weak && w.takes(t, loc, src) && h.decide(2, func() int { return h.rng.IntN(8) / 7 }) == 1 && h.policy.spurious {
		flags = graph.Spurious
	}
	return w.addRead(t, loc, src, flags) && w.afterRead(h, t)
}

// takes reports whether the action that t is at is an RMW that writes if it reads from src.
func (w *worker) takes(t, loc int32, src graph.ID) bool {
	return w.takesValue(t, w.valueOf(src, loc))
}

// takesValue reports whether the action that t is at is an RMW that writes if it reads v.
func (w *worker) takesValue(t int32, v event.Value) bool {
	act := &w.pendingOf(t).act
	return act.Kind == machine.RMW && succeeds(act, v)
}

// afterRead lets t go on from the read that was added last.
func (w *worker) afterRead(h *hunter, t int32) bool {
	g := w.g
	r := &g.Events[g.Last(t)]
	w.notePair(h, r)
	if r.Flags&graph.RMWPart == 0 {
		return w.resumeRead(t)
	}
	wr := write{thread: t, loc: r.Loc, val: w.rmwValue(t, r.Val), mode: w.pendingOf(t).act.Mode, flags: graph.RMWPart, after: w.resumed(w.cur[t], r.Val)}
	return w.walkPlace(&wr, w.g.CoIndex(r.RF)+1)
}

// walkWrite adds the store that t is at, at a place in co that it may have.
func (w *worker) walkWrite(h *hunter, t int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	g := w.g
	act := &w.pendingOf(t).act
	val := act.Val
	if act.Part {
		if val, ok = w.completePart(t, loc, act); !ok {
			return false
		}
	}
	wr := write{thread: t, loc: loc, val: val, mode: act.Mode, after: w.resumed(w.cur[t], event.Value{})}
	end := int32(len(g.Locs[loc].Co))
	least := w.floorsOf(loc, t).all
	before := w.cur[t]
	pos := end - int32(h.decide(int(end-least), func() int {
		if h.rng.Float64() >= h.policy.stale {
			return 0
		}
		return h.rng.IntN(int(end - least))
	}))
	for ; pos < end; pos++ {
		if w.splitsRMW(loc, pos) {
			continue
		}
		m := w.mark()
		if w.walkPlace(&wr, pos) {
			return true
		}
		w.undo(m)
		w.cur[t] = before
		if w.stop.Load() {
			return false
		}
	}
	return w.walkPlace(&wr, end)
}

// walkPlace adds wr at index pos of co.
func (w *worker) walkPlace(wr *write, pos int32) bool {
	id := w.newWrite(wr)
	w.g.Add(id, pos)
	w.cur[wr.thread] = wr.after
	return w.checkAccess(id) && w.arrived(wr.thread)
}

// notePair notes where a read and what it reads are in the source.
func (w *worker) notePair(h *hunter, r *graph.Event) {
	pair := [2]ir.Pos{w.pends[r.Pend].act.Pos, ir.NoPos}
	if r.RF != graph.Init {
		pair[1] = w.pends[w.g.Events[r.RF].Pend].act.Pos
	}
	if _, known := h.pairs[pair]; !known {
		h.pairs[pair] = struct{}{}
		h.rare = true
	}
}

// fingerprint returns a hash of the graph: equal graphs have the same, whatever the order in which they were built.
func (w *worker) fingerprint() uint64 {
	g := w.g
	sum := uint64(0)
	for _, id := range g.Trail {
		e := &g.Events[id]
		if e.Kind != graph.Read && e.Kind != graph.Write && e.Kind != graph.Choice {
			continue
		}
		x := uint64(e.Thread)<<32 | uint64(e.Index)
		src := e.Val.Lo // of a choice
		switch e.Kind {
		case graph.Read:
			src = uint64(g.Events[e.RF].Thread)<<32 | uint64(g.Events[e.RF].Index)
		case graph.Write:
			src = uint64(e.Co)
		}
		sum += scramble(scramble(x) ^ src)
	}
	return sum
}

// scramble maps numbers to numbers one to one, such that similar ones become different.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// note counts an execution.
func (h *hunter) note(fingerprint uint64) {
	if _, known := h.seen[fingerprint]; known || len(h.seen) < maxSeen {
		h.seen[fingerprint] = known
	}
}

// hunted returns what the walks found out. The estimate is that of Good and Turing: the probability of what was never seen is about the share of
// what was seen once.
func (r *run) hunted() *Hunt {
	once := 0
	for _, again := range r.prints {
		if !again {
			once++
		}
	}
	return &Hunt{Walks: r.walks, Distinct: int64(len(r.prints)), New: float64(once) / float64(max(r.walks, 1))}
}

// reason says why the verdict of a hunt is not a proof.
func (h *Hunt) reason(d time.Duration) string {
	about := ""
	if h.About {
		about = "about "
	}
	return fmt.Sprintf("random walks for %v (--hunt): %d walks, %s%d different executions; about %.2g %% of further walks would show a new one", d, h.Walks, about, h.Distinct, 100*h.New)
}
