package states

import (
	"math/rand/v2"
	"slices"
	"time"
)

// How much scouting is done.
const (
	scoutThreads = 32
	scoutPages   = 1 << 10
	scoutWalks   = 16 // without news
	scoutMoves   = 1500
	scoutTime    = 50 * time.Millisecond
)

// scout walks through the program at random a few times. It finds most threads and pages that there are, and most words that threads
// share, so that the exploration seldom has to begin again for want of knowing them.
func (r *run) scout() {
	w := newWorker(r)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, quiet, news := 0, 0, 0; quiet < scoutWalks && !r.stop.Load() && time.Since(r.start) < scoutTime; i++ {
		if quiet++; r.outlooks.news > news {
			quiet, news = 0, r.outlooks.news
		}
		clear(w.tree)
		if _, ok := w.begins(); !ok {
			return
		}
		last := int32(-1)
		for range scoutMoves {
			stay := int32(-1)
			if rnd.IntN(8) < 2*(i%4) { // some walks change threads seldom
				stay = last
			}
			if last = w.wander(rnd, stay); last < 0 {
				break
			}
		}
	}
	r.crews = r.crews && !w.mayTurn(false)
	r.turning = r.crews && (r.turning || w.mayTurn(true))
}

// wander makes a random move, of thread stay if it can. It returns whose move that was, -1 if there is none.
func (w *worker) wander(rnd *rand.Rand, stay int32) int32 {
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
