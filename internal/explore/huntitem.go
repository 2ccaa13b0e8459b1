package explore

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// walkStride is the difference of the numbers of two items of a chain of walks.
const walkStride = 1 << 16

// Walks returns the first items of n chains of walks.
func Walks(n int) []Item {
	items := make([]Item, min(n, walkStride))
	for i := range items {
		items[i] = Root()
		items[i].Walk = uint64(i)
	}
	return items
}

// walk walks at random until it is over. The number of the item is the seed; what earlier walks of this process have seen guides it.
func (x *Explorer) walk(number uint64, s *Slice) {
	w := x.w
	if x.hunter == nil {
		x.hunter = newHunter(x.opts.Seed, number)
	}
	h := x.hunter
	h.rng = rand.New(rand.NewPCG(x.opts.Seed, number))
	clear(h.seen)
	w.weight = 0
	for n := 1; !w.stop.Load() && !s.over(w) && (w.opts.walks == 0 || n <= w.opts.walks); n++ {
		w.nextWalk(h)
	}
	for print, again := range h.seen {
		w.sketch.Prints = append(w.sketch.Prints, Print{print, again})
	}
	w.sketch.shorten()
	w.isCut = true
}

// Prints are the fingerprints of executions that walks saw: the least of them, from which to estimate how many there are. (Bar-Yossef, Jayram, Kumar,
// Sivakumar, Trevisan, "Counting distinct elements in a data stream", 2002.)
type Prints struct{ Prints []Print }

// A Print is the fingerprint of an execution.
type Print struct {
	Hash  uint64
	Again bool // it was seen more than once
}

// maxPrints is how many fingerprints are kept. The error of the estimates is about 1/√maxPrints.
const maxPrints = 2048

// shorten sorts and keeps the least.
func (p *Prints) shorten() {
	slices.SortFunc(p.Prints, func(a, b Print) int { return cmp.Compare(a.Hash, b.Hash) })
	p.Prints = p.Prints[:min(len(p.Prints), maxPrints)]
}

// add adds those of o. What both have was seen again.
func (p *Prints) add(o Prints) {
	all := Prints{slices.Concat(p.Prints, o.Prints)}
	slices.SortFunc(all.Prints, func(a, b Print) int { return cmp.Compare(a.Hash, b.Hash) })
	n := 0
	for _, q := range all.Prints {
		if n > 0 && all.Prints[n-1].Hash == q.Hash {
			all.Prints[n-1].Again = true
			continue
		}
		all.Prints[n] = q
		n++
	}
	p.Prints = all.Prints[:min(n, maxPrints)]
}

// hunt returns what the walks found out; see hunted.
func (p *Prints) hunt(walks int64) *Hunt {
	once := 0
	for _, q := range p.Prints {
		if !q.Again {
			once++
		}
	}
	scale := 1.0
	if len(p.Prints) == maxPrints {
		scale = math.MaxUint64 / float64(p.Prints[maxPrints-1].Hash)
	}
	return &Hunt{Walks: walks, About: scale > 1, Distinct: int64(scale * float64(len(p.Prints))), New: scale * float64(once) / float64(max(walks, 1))}
}
