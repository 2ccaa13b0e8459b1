package explore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/report"
)

// An Estimate is a guess at the number of executions that end, complete or blocked.
type Estimate struct {
	Executions float64
	Exact      bool // they have been counted
	AtLeast    bool // so many have been counted, and the samples differ too much to say how many more there are
}

func (e Estimate) String() string {
	switch {
	case e.Exact:
		return report.CountExecutions(int64(e.Executions))
	case e.AtLeast:
		return "at least " + report.CountExecutions(int64(e.Executions)) + ", and the samples differ too much to say how many more"
	}
	return "about " + report.Approximately(e.Executions) + " executions"
}

// Guess estimates how many executions p has. It explores for half a second; if that was not enough, it
// samples for another second.
func Guess(ctx context.Context, p *ir.Program, opts Options) (Estimate, error) {
	opts.OnProgress, opts.OnExecution = nil, nil
	opts.Timeout = time.Second / 2
	res, err := Explore(ctx, p, opts)
	if err != nil || res.GaveUp == "" {
		return exactly(res), err
	}
	opts.Timeout = time.Second
	opts.Workers, opts.KeepGoing = 1, true
	opts.sample = &sample{rng: rand.New(rand.NewPCG(opts.Seed, 0))}
	if _, err := Explore(ctx, p, opts); err != nil {
		return Estimate{}, err
	}
	return opts.sample.estimate(float64(res.Complete + res.Blocked)), nil
}

func exactly(res *Result) Estimate {
	if res == nil {
		return Estimate{}
	}
	return Estimate{Executions: float64(res.Complete + res.Blocked), Exact: true}
}

// A sample estimates the number of leaves of the tree of the exploration (steal.go) level by level (Chen, "Heterogeneous sampling",
// 1992, after Knuth 1975). Nodes of a level with graphs of the same size are a stratum, of which a few stand for all: each is drawn with a
// probability in proportion to its weight, that is how many nodes it stands for already. What the leaves weigh is, on average, what there is. A single
// walk to a leaf would do as well on average, but trees are lopsided: a revisit that leaves a small graph has most executions below
// it, and random walks hardly ever come there.
type sample struct {
	rng   *rand.Rand
	kinds []kind // of the graphs that the node that is looked at branches to

	limit int     // of rounds, 0 if there is none
	n     int     // how many rounds there were
	sum   float64 // of what they said
	sumSq float64 // of the squares
}

// A kind is what the graphs of a stratum have in common.
type kind struct {
	events int // how many they have
	choice int // and how many of these did not take the latest there was: a few such, and revisits are still possible
}

// stratum is how many nodes of a stratum are looked at.
const stratum = 2

// A node is one that is looked at.
type node struct {
	path   []int32
	weight float64
}

// sample samples until the time is over.
func (w *worker) sample() {
	s := w.opts.sample
	s.n, s.sum, s.sumSq = 0, 0, 0 // the run may have begun again
	for s.limit == 0 || s.n < s.limit {
		leaves := w.round()
		if w.stop.Load() {
			return
		}
		s.n++
		s.sum += leaves
		s.sumSq += leaves * leaves
	}
}

// round goes down the tree once and returns how many leaves it has by that.
func (w *worker) round() float64 {
	s := w.opts.sample
	leaves := 0.0
	for level := []node{{nil, 1}}; len(level) > 0 && !w.stop.Load(); {
		next := map[kind][]node{}
		for _, n := range level {
			leaves += n.weight * float64(w.look(n.path))
			for i, k := range s.kinds {
				next[k] = append(next[k], node{append(slices.Clone(n.path), int32(i)+1), n.weight})
			}
		}
		level = level[:0]
		for _, k := range slices.SortedFunc(maps.Keys(next), func(a, b kind) int {
			return cmp.Or(a.events-b.events, a.choice-b.choice)
		}) {
			level = s.draw(level, next[k])
		}
	}
	return leaves
}

// draw appends nodes that stand for all of a stratum to level.
func (s *sample) draw(level, nodes []node) []node {
	if len(nodes) <= stratum {
		return append(level, nodes...)
	}
	all := 0.0
	for _, n := range nodes {
		all += n.weight
	}
	each := all / stratum
	at := s.rng.Float64() * each
	for _, n := range nodes {
		for at -= n.weight; at < 0; at += each {
			level = append(level, node{n.path, each})
		}
	}
	return level
}

// look follows path, finds the branches of the node at its end, and returns how many executions end there.
func (w *worker) look(path []int32) int64 {
	s := w.opts.sample
	w.count, w.leaves, s.kinds = Counts{}, 0, s.kinds[:0]
	w.follow, w.top, w.path[0] = append(append(w.follow[:0], path...), 0), len(path), 0
	w.visit()
	return w.count.Complete + w.count.Blocked
}

// kind returns what kind the graph is of.
func (w *worker) kind() kind {
	g := w.g
	k := kind{events: len(g.Trail)}
	for _, id := range g.Trail {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read && !w.latestWhenAdded(e, e.RF), e.Kind == graph.Write && !w.latestWhenAdded(e, id), e.Kind == graph.Alloc && e.RF != graph.None:
			k.choice++
		}
	}
	return k
}

// minRounds is how many rounds tell whether they agree.
const minRounds = 5

// estimate returns the average of the rounds, if it is likely to be off by less than a half and is not less than what was counted.
func (s *sample) estimate(counted float64) Estimate {
	n := float64(s.n)
	mean := s.sum / max(n, 1)
	deviation := math.Sqrt(max(0, s.sumSq/max(n, 1)-mean*mean) / max(n-1, 1)) // of the mean
	if s.n < minRounds || deviation > mean/4 || mean < counted {
		return Estimate{Executions: counted, AtLeast: true}
	}
	return Estimate{Executions: mean}
}
