package states

import (
	"math/rand/v2"
	"time"
)

// How much scouting is done.
const (
	scoutThreads = 32
	scoutPages   = 1 << 10
	scoutWalks   = 12 // without news
	scoutMoves   = 1500
	scoutTime    = 200 * time.Millisecond
)

// scout walks through the program at random a few times. It finds most threads and pages that there are, and most words that threads
// share, so that the exploration seldom has to begin again for want of knowing them.
func (r *run) scout() {
	w := newWorker(r)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, news := 0, 0; i < scoutWalks && !r.stop.Load() && time.Since(r.start) < scoutTime; i++ {
		if r.outlooks.news > news {
			i, news = 0, r.outlooks.news
		}
		clear(w.tree)
		if _, ok := w.begins(); !ok {
			return
		}
		for range scoutMoves {
			if !w.wander(rnd) {
				break
			}
		}
	}
	r.turning = w.mayTurn(true)
	r.crews = r.crews && !w.mayTurn(false)
}

// wander makes a random move; false if there is none.
func (w *worker) wander(rnd *rand.Rand) bool {
	var list []move
	w.moves(func(m move) { list = append(list, m) })
	rnd.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for _, m := range list {
		if w.perform(m) && len(w.changes) > 0 {
			w.changes = w.changes[:0]
			return true
		}
		w.undo()
	}
	return false
}
