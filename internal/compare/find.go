package compare

import (
	"fmt"
	"runtime"
	"sync"

	"ravel/internal/diy"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/limits"
)

// A Found is the smallest test that separates models.
type Found struct {
	Cycle   *diy.Cycle // nil if there is none
	Text    string
	Outcome *Outcome
	Looked  int // at so many tests
}

// Find makes tests from cycles, from the smallest up to the size max, and returns the first one whose final states not all
// models agree on. The size of a cycle is the number of its edges, plus one for each dependency, fence and annotation.
// Find ends without a test if the context does.
func Find(a *diy.Arch, models []*enumerate.Model, maxEdges, maxSize int, opts Options) (*Found, error) {
	f := &finder{models: models, opts: opts}
	for size := 2; size <= maxSize; size++ {
		for n := 2; n <= min(size, maxEdges); n++ {
			for c := range diy.Cycles(a, n, size-n) {
				f.batch = append(f.batch, c)
				if len(f.batch) == batchSize && f.run() {
					return f.result()
				}
			}
		}
		if f.run() {
			return f.result()
		}
	}
	return f.result()
}

const batchSize = 256

type finder struct {
	models []*enumerate.Model
	opts   Options
	batch  []*diy.Cycle
	looked int
	found  *diy.Cycle
	err    error
}

// run looks at the batch, with all processors, and reports whether the search has ended.
func (f *finder) run() bool {
	batch := f.batch
	f.batch = f.batch[:0]
	differ, errs := make([]bool, len(batch)), make([]error, len(batch))
	var wg sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			defer limits.Crash()
			for i := w; i < len(batch); i += runtime.GOMAXPROCS(0) {
				differ[i], errs[i] = f.separates(batch[i])
			}
		})
	}
	wg.Wait()
	for i, c := range batch {
		if errs[i] != nil {
			f.err = errs[i]
			return true
		}
		f.looked++
		if differ[i] {
			f.found = c
			return true
		}
	}
	return f.opts.Ctx != nil && f.opts.Ctx.Err() != nil
}

// separates reports whether the models disagree on the test of a cycle. One for which there are not enough registers says nothing.
func (f *finder) separates(c *diy.Cycle) (bool, error) {
	text, err := c.Litmus()
	if err != nil {
		return false, nil
	}
	t, err := frontend.Parse(c.Name(), []byte(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", c, err)
	}
	o, err := Test(t, f.models, f.opts)
	return err == nil && o.Differ(), err
}

func (f *finder) result() (*Found, error) {
	r := &Found{Cycle: f.found, Looked: f.looked}
	if f.err != nil || f.found == nil {
		return r, f.err
	}
	var err error
	if r.Text, err = f.found.Litmus(); err != nil {
		return nil, err
	}
	t, err := frontend.Parse(f.found.Name(), []byte(r.Text))
	if err != nil {
		return nil, err
	}
	r.Outcome, err = Test(t, f.models, Options{})
	return r, err
}
