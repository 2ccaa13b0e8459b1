package explore

import "time"

// Work is shared by stealing. The exploration is a depth-first search of a tree. Its nodes are calls of visit, its
// edges calls of branch. It is deterministic: a path, that is the numbers of the edges from the root, leads any worker to the same
// graph. An idle worker gets a path from a busy one, follows it, and takes over all that the node at its end has
// still to explore. The busy one goes on below. It gives away the node nearest to the root: most is left to do there, so
// this happens seldom, and following the path costs no more than one execution.
//
// Following a path may cost more than one execution: a node may have thousands of branches to skip. So a worker gives something away only after
// it has explored for some times as long as the last path took to follow. More workers then never cost much more than one.
//
// A worker is given a path to follow and the depth top of the first node on it that it owns. It owns each node from there on, after the branch that
// the path takes, and all that lies below. What belongs to others it comes across on its way down to there and back, and does not count.
// So one path stands for all that is left of a search that was cut off after any branch (item.go).

// work explores the tree from its root if first is set, and then what other workers give away.
func (w *worker) work(first bool) {
	if first {
		switch {
		case !w.begin():
		case w.opts.sample != nil:
			w.sample()
		default:
			w.visit()
		}
		w.finish()
	}
	for range w.given {
		if len(w.g.Trail) > 0 || w.begin() {
			w.path[0] = 0
			w.visit()
		}
		w.finish()
	}
}

// finish adds up what a piece of work gave, and ends the run if it was the last one.
func (w *worker) finish() {
	w.flush()
	if w.busy.Add(-1) == 0 {
		for _, o := range w.all {
			close(o.given)
		}
		return
	}
	w.idle <- w
}

// branch explores one of n alternatives of the graph as it is, unless another worker does.
func (w *worker) branch(n int) {
	d := len(w.path) - 1
	w.path[d]++
	if d < len(w.follow) && !w.enters(d) {
		return
	}
	if w.opts.Bound > 0 && w.isBeyond() {
		w.beyond.Store(true)
		w.explored(w.weight / float64(n))
		return
	}
	if s := w.opts.sample; s != nil && d == w.top {
		s.kinds = append(s.kinds, w.kind())
		return
	}
	if d >= len(w.follow) {
		if w.following {
			w.arrivedAtNode()
		}
		if len(w.idle) > 0 {
			if w.patience--; w.patience < 0 {
				w.giveAway()
			}
		}
	}
	weight := w.weight
	w.weight /= float64(n)
	w.path = append(w.path, 0)
	w.visit()
	w.path = w.path[:d+1]
	w.weight = weight
	if w.until != nil && d >= w.top && w.until.over(w) {
		w.cut()
	}
}

// enters reports whether the present branch of the node at depth d, which is on the path to follow, leads to something that w owns.
func (w *worker) enters(d int) bool {
	switch at := w.follow[d]; {
	case w.path[d] < at:
		return false
	case w.path[d] == at:
		return d < len(w.follow)-1
	case d < w.top:
		return false
	}
	w.follow = w.follow[:d] // the rest of it lies behind
	return true
}

// worthwhile is how many times as long as a path takes to follow a worker explores before it gives something away.
const worthwhile = 8

// patient is after how many branches a worker that has given nothing away, as it was too early, asks for the time again. With more workers than cores some have never anything to do.
const patient = 16

// arrivedAtNode notes how long it took to follow the path to the first node that w owns.
func (w *worker) arrivedAtNode() {
	now := time.Now()
	w.pathCost.Store(int64(now.Sub(w.since)))
	w.following, w.since = false, now
}

// giveAway gives what is left of the first node that w owns to a worker that has nothing to do, if that is worth it.
func (w *worker) giveAway() {
	if now := time.Now(); int64(now.Sub(w.since)) < worthwhile*w.pathCost.Load() {
		w.patience = patient
		return
	}
	select {
	case o := <-w.idle:
		w.since = time.Now()
		o.following, o.since = true, w.since
		w.busy.Add(1)
		o.follow, o.top = append(o.follow[:0], w.path[:w.top+1]...), w.top
		if len(w.follow) == w.top {
			w.follow = append(w.follow, w.path[w.top])
		}
		w.top++
		o.given <- struct{}{}
	default:
	}
}

// belongsToOther reports whether what comes before the next branch belongs to another worker.
func (w *worker) belongsToOther() bool {
	d := len(w.path) - 1
	return d < len(w.follow) && (d < w.top || w.path[d] < w.follow[d])
}

// left reports whether w has nothing more to explore in the node that it is at.
func (w *worker) left() bool {
	d := len(w.path) - 1
	return d < w.top && w.path[d] >= w.follow[d]
}
