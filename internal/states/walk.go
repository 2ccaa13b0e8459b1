package states

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Bounds of the sample walks.
const (
	walkThreads  = 32
	walkPages    = 1 << 10
	maxIdleWalks = 16 // without learning anything
	walkMoves    = 1500
	walkTime     = 50 * time.Millisecond
)

// sampleWalks runs a few random executions. They find most threads, pages and shared words, so the exploration seldom has
// to start again because it did not know one.
func (r *run) sampleWalks() {
	w := newWorker(r)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, idle, news := 0, 0, 0; idle < maxIdleWalks && !r.stop.Load() && time.Since(r.start) < walkTime; i++ {
		if idle++; r.futures.news > news {
			idle, news = 0, r.futures.news
		}
		clear(w.tree)
		if _, ok := w.begins(); !ok {
			return
		}
		last := int32(-1)
		for range walkMoves {
			stay := int32(-1)
			if rnd.IntN(8) < 2*(i%4) { // some walks change threads seldom
				stay = last
			}
			if last = w.randomMove(rnd, stay); last < 0 {
				break
			}
		}
	}
	r.persistent = r.persistent && !w.mayRevisit(false)
	r.cyclic = r.persistent && (r.cyclic || w.mayRevisit(true))
}

// randomMove makes a random move, of thread stay if that has one. It returns the thread, -1 if no move is possible.
func (w *worker) randomMove(rnd *rand.Rand, stay int32) int32 {
	var list []move
	w.moves(func(m move) { list = append(list, m) })
	rnd.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	slices.SortStableFunc(list, func(a, b move) int {
		switch {
		case (a.thread == stay) == (b.thread == stay):
			return 0
		case a.thread == stay:
			return -1
		}
		return 1
	})
	for _, m := range list {
		if w.perform(m) && len(w.changes) > 0 {
			w.changes = w.changes[:0]
			return m.thread
		}
		w.undo()
	}
	return -1
}
