package herd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"ravel/internal/cat"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/limits"
	"ravel/internal/litmus"
)

// A Config says how to run tests.
type Config struct {
	Model    string   // a name or a .cat file, "" for the usual one of each dialect
	Bell     string   // a .bell file that runs before the model
	Variants []string // of the model
	Workers  int      // 0: all cores
	Timeout  time.Duration
	Unroll   int  // how often loops go round
	Explain  bool // find out what forbids the condition
	Picture  bool // keep an execution to draw
	Outcomes bool // keep an execution for each final state, also for those that the model forbids
}

// An Entry is what became of one test.
type Entry struct {
	File       string
	Err        error // the test could not be run: it is wrong, or not supported
	Result     *enumerate.Result
	Seconds    float64 // of CPU time where the system tells, of the clock elsewhere
	Reasons    []Reason
	Picture    *Picture // nil: there is nothing to draw
	Order      []string // the events in the order of volatile accesses and full fences that Java's models choose, pushto
	Derivation []string // the re-executions that lead to the execution drawn, under xmm

	Outcomes    []Outcome
	AllOutcomes bool // no forbidden ones are missing

	explained bool // the log shows the picture, too
}

// A Source is a test: a file, or its text in memory.
type Source struct {
	File string
	Text []byte // nil: that of the file
}

// Run runs tests, one entry for each, in their order. It stops when yield returns an error; the end of the context stops tests, whose entries say so.
func Run(ctx context.Context, tests []Source, c Config, yield func(*Entry) error) error {
	m := &models{config: c}
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make([]chan *Entry, len(tests))
	for i := range slots {
		slots[i] = make(chan *Entry, 1)
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, len(tests)) {
		group.Go(func() {
			defer limits.Crash()
			for i := range next {
				slots[i] <- m.run(ctx, tests[i])
			}
		})
	}
	go func() {
		defer limits.Crash()
		defer close(next)
		for i := range tests {
			select {
			case next <- i:
			case <-ctx.Done():
				slots[i] <- &Entry{File: tests[i].File, Err: errCancelled}
			}
		}
	}()
	var err error
	for _, slot := range slots {
		if err = yield(<-slot); err != nil {
			break
		}
	}
	cancel()
	group.Wait()
	return err
}

// models keeps the models that were loaded.
type models struct {
	config Config
	mu     sync.Mutex
	loaded map[string]*enumerate.Model
}

// get returns the model for a test.
func (m *models) get(t *litmus.Test) (*enumerate.Model, error) {
	name := m.config.Model
	if name == "" {
		if name = enumerate.Default(t); name == "" {
			return nil, fmt.Errorf("%s: there is no usual model for this test in %s: give --model, and --bell FILE.bell if it needs one", t.File, t.Arch)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if model := m.loaded[name]; model != nil {
		return model, nil
	}
	model, err := Load(name)
	if err != nil {
		return nil, err
	}
	if m.config.Bell != "" {
		bell, err := cat.Load(m.config.Bell)
		if err != nil {
			return nil, err
		}
		model.UseBell(bell)
	}
	model.UseVariants(m.config.Variants)
	if m.loaded == nil {
		m.loaded = map[string]*enumerate.Model{}
	}
	m.loaded[name] = model
	return model, nil
}

// errCancelled is the error of tests that were not run since the caller had enough.
var errCancelled = errors.New("cancelled")

// run reads and runs one test.
func (m *models) run(ctx context.Context, s Source) *Entry {
	e := &Entry{File: s.File, explained: m.config.Explain}
	if ctx.Err() != nil {
		e.Err = errCancelled
		return e
	}
	runtime.LockOSThread() // so that its CPU time can be told
	defer runtime.UnlockOSThread()
	start, begin := threadTime(), time.Now()
	e.Err = m.fill(ctx, e, s.Text)
	if e.Seconds = (threadTime() - start).Seconds(); start == 0 {
		e.Seconds = time.Since(begin).Seconds()
	}
	return e
}

func (m *models) fill(ctx context.Context, e *Entry, text []byte) (err error) {
	if text == nil {
		if text, err = os.ReadFile(e.File); err != nil {
			return err
		}
	}
	t, err := frontend.Parse(e.File, text)
	if err != nil {
		return err
	}
	model, err := m.get(t)
	if err != nil {
		return err
	}
	if m.config.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, m.config.Timeout)
		defer stop()
	}
	o := enumerate.Options{Ctx: ctx, Unroll: m.config.Unroll}
	if m.config.Picture || m.config.Explain {
		o.OnExecution = func(x *enumerate.Execution) bool {
			if e.Picture == nil && interesting(t, x) {
				e.Picture = newPicture(t, x)
				e.Order = orderText(t, x)
				e.Derivation = x.Derivation()
			}
			return true
		}
	}
	states := &outcomes{test: t, values: map[string][]litmus.Value{}, byKey: map[string]*Outcome{}}
	if m.config.Outcomes {
		first := o.OnExecution
		o.OnExecution = func(x *enumerate.Execution) bool {
			states.see(x, true)
			return first == nil || first(x)
		}
	}
	if e.Result, err = enumerate.Run(t, model, o); err != nil {
		return err
	}
	if m.config.Outcomes {
		if !e.Result.Stopped {
			if e.AllOutcomes, err = states.forbidden(ctx, model, o); err != nil {
				return err
			}
		}
		e.Outcomes = states.result(e.Result)
	}
	if (m.config.Explain || m.config.Picture) && e.Picture == nil && !e.Result.Stopped {
		return m.explain(t, model, o, e)
	}
	return nil
}

// interesting reports whether an execution is what the condition of its test asks for: a witness
// of exists and ~exists, a counterexample of forall.
func interesting(t *litmus.Test, x *enumerate.Execution) bool {
	return x.Positive != (t.Cond.Quant == litmus.ForAll)
}

// Status is the exit status that the entry asks for: 0 the condition holds, 1 it does not, 2 the test could
// not be run, 3 it is not decided.
func (e *Entry) Status() int {
	switch {
	case e.Err != nil:
		return 2
	case !e.Result.Decided():
		return 3
	case !e.Result.Holds():
		return 1
	}
	return 0
}
