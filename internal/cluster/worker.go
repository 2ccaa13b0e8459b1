package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/limits"
)

// A WorkerConfig says how a worker works.
type WorkerConfig struct {
	Access    Access
	Build     string
	Version   string // for people
	Slots     int    // items to explore at a time; 0 is one per core
	MaxMemory int64  // of this process; 0 is no limit
	Log       *slog.Logger
	Metrics   *Metrics

	lost func(error) // of the only worker of a checkpoint: called if a record can't be stored
}

// Durations of slices. A slice is a share of the age of its job, so that a job that takes days does not have millions of records.
const (
	firstSlice = 50 * time.Millisecond
	minSlice   = time.Second
	maxSlice   = 30 * time.Second
	ageShare   = 60                    // of the age of the job
	minHungry  = 20 * time.Millisecond // a slice is not cut for a hungry worker before
	splits     = 8                     // items that a slice is cut into if workers have nothing to do
	maxTries   = 8                     // of an item whose workers die: then it is given up
	helloEvery = 2 * time.Second
	maxSlots   = 10_000 // of all workers that can have or await an item at a time
)

// A hello tells who is there.
type hello struct {
	Build, Version, Host string
	PID, Slots, Busy     int
	Executions           int64 // since the worker began
}

// Work explores items of all jobs of this build until the context ends. Then it records what it has.
func Work(ctx context.Context, c WorkerConfig) error {
	s, err := c.Access.open(ctx, "ravel worker", c.Log)
	if err != nil {
		return err
	}
	defer s.close()
	return work(ctx, c, s)
}

// A worker is a process that explores items.
type worker struct {
	WorkerConfig
	*store
	cons jetstream.Consumer
	host string

	mu     sync.Mutex
	jobs   map[string]*jobState // by ID
	slots  []*slot
	hungry *nats.Subscription // while a slot is busy
	busy   int
	total  atomic.Int64
}

// A jobState is what a worker knows of a job.
type jobState struct {
	job      Job
	revision uint64                 // of the state that is known, guarded by worker.mu
	stop     atomic.Bool            // do not work on it
	failed   atomic.Pointer[string] // why this worker gives it up

	mu      sync.Mutex
	prog    *ir.Program
	opts    explore.Options
	current setup
	search  *explore.Search // of current
	busy    int             // slots that work on it
}

// A slot explores one item at a time.
type slot struct {
	*worker
	number   int
	search   *explore.Search
	explorer *explore.Explorer

	// Of the present slice, guarded by worker.mu.
	job   *jobState
	since time.Time
	top   int
	due   *atomic.Bool
	stop  *atomic.Bool
	asked bool // cut for a hungry worker
	full  bool // stopped because the process has too much memory
}

func work(ctx context.Context, c WorkerConfig, s *store) error {
	c.Slots = cmp.Or(c.Slots, runtime.NumCPU())
	w := &worker{WorkerConfig: c, store: s, jobs: map[string]*jobState{}}
	w.host, _ = os.Hostname()
	var err error
	if w.cons, err = s.queue(ctx, c.Build); err != nil {
		return fmt.Errorf("the queue of items: %w", err)
	}
	watch, err := s.watch(ctx, "job.>")
	if err != nil {
		return fmt.Errorf("bucket %s: %w", jobBucket, err)
	}
	defer func() { _ = watch.Stop() }()
	go w.watchJobs(watch)
	go w.sayHello(ctx)
	go w.watchMemory(ctx)
	for _, name := range []string{"executions", "slices", "busy_seconds"} {
		c.Metrics.add("ravel_worker_"+name+"_total", 0)
	}
	c.Log.Info("a worker has joined", "build", c.Build, "version", c.Version, "slots", c.Slots, "server", s.nc.ConnectedUrlRedacted())
	var wg sync.WaitGroup
	for i := range c.Slots {
		sl := &slot{worker: w, number: i}
		w.slots = append(w.slots, sl)
	}
	for _, sl := range w.slots {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer limits.Crash()
			sl.loop(ctx)
		}()
	}
	<-ctx.Done()
	w.mu.Lock()
	for _, sl := range w.slots {
		if sl.due != nil {
			sl.due.Store(true)
		}
	}
	w.mu.Unlock()
	wg.Wait()
	c.Log.Info("the worker leaves", "executions", w.total.Load())
	_ = s.nc.FlushTimeout(2 * time.Second)
	return nil
}

// queue returns the queue of the items of a build.
func (s *store) queue(ctx context.Context, build string) (cons jetstream.Consumer, err error) {
	err = s.again(ctx, "make the consumer", func(ctx context.Context) error {
		cons, err = s.js.CreateOrUpdateConsumer(ctx, itemStream, jetstream.ConsumerConfig{
			Durable: "workers-" + build, FilterSubject: "rv.item." + build + ".>",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: maxSlots, MaxWaiting: maxSlots, MaxDeliver: -1, InactiveThreshold: 30 * 24 * time.Hour,
		})
		return err
	})
	return cons, err
}

// watchJobs keeps up with the states of jobs.
func (w *worker) watchJobs(watch jetstream.KeyWatcher) {
	told := map[string]bool{}
	for e := range watch.Updates() {
		if e == nil || e.Operation() != jetstream.KeyValuePut {
			continue
		}
		var j Job
		if err := json.Unmarshal(e.Value(), &j); err != nil {
			w.Log.Warn("a job is damaged", "key", e.Key(), "error", err)
			continue
		}
		if j.Build != w.Build {
			if j.State == running && !told[j.ID] {
				told[j.ID] = true
				w.Log.Warn("a job needs another version of ravel: this worker leaves it alone", "job", j.Name, "needs", j.Build, "this", w.Build)
			}
			continue
		}
		js := w.note(&j, e.Revision())
		if js == nil {
			continue
		}
		if j.State == running {
			w.Log.Info("a job", "job", j.Name, "id", j.ID, "model", j.Model.Name)
			continue
		}
		w.Log.Info("a job is "+j.State, "job", j.Name, "id", j.ID)
		w.mu.Lock()
		for _, sl := range w.slots {
			if sl.job != js {
				continue
			}
			if j.State == paused {
				sl.due.Store(true) // what it has counts
			} else {
				sl.stop.Store(true)
			}
		}
		if j.State == ended {
			delete(w.jobs, j.ID)
		}
		w.mu.Unlock()
	}
}

// note takes note of the state of a job, unless a newer one is known. It returns nil for a job that does not run and that is not known.
func (w *worker) note(j *Job, revision uint64) *jobState {
	w.mu.Lock()
	defer w.mu.Unlock()
	js := w.jobs[j.ID]
	if js == nil && j.State != running {
		return nil
	}
	if js == nil {
		js = &jobState{job: *j}
		w.jobs[j.ID] = js
	}
	if revision >= js.revision {
		js.revision = revision
		js.stop.Store(j.State != running)
	}
	return js
}

// sayHello tells clients that this worker is there.
func (w *worker) sayHello(ctx context.Context) {
	tick := time.NewTicker(helloEvery)
	defer tick.Stop()
	for {
		w.mu.Lock()
		h := hello{w.Build, w.Version, w.host, os.Getpid(), w.Slots, w.busy, w.total.Load()}
		w.mu.Unlock()
		if data, err := json.Marshal(h); err == nil {
			_ = w.nc.Publish(helloPrefix+w.Build, data)
		}
		w.Metrics.gauge("ravel_worker_busy_slots", float64(h.Busy))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// watchMemory looks whether the process has too much memory. If that is more than the job may have, the job is given up. If it is more than the worker may have, another
// worker gets the item.
func (w *worker) watchMemory(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		w.mu.Lock()
		for _, sl := range w.slots {
			if sl.job == nil {
				continue
			}
			if m := sl.job.job.Limits.MaxMemory; m > 0 && limits.Exceeded(m) {
				why := fmt.Sprintf("stopped at the memory limit (--max-memory) on %s", w.host)
				sl.job.failed.CompareAndSwap(nil, &why)
				sl.stop.Store(true)
			} else if w.MaxMemory > 0 && limits.Exceeded(w.MaxMemory) {
				sl.full = true
				sl.stop.Store(true)
			}
		}
		w.mu.Unlock()
	}
}

// loop takes items and explores them.
func (sl *slot) loop(ctx context.Context) {
	wait := 20 * time.Millisecond
	for ctx.Err() == nil {
		msg, err := sl.cons.Next(jetstream.FetchMaxWait(wait))
		if err != nil {
			if !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) && !errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				sl.Log.Warn("no item", "error", err)
				time.Sleep(200 * time.Millisecond)
			}
			sl.isIdle()
			wait = min(2*wait, time.Second)
			continue
		}
		wait = 20 * time.Millisecond
		sl.item(ctx, msg)
	}
}

// isIdle tells busy workers that this one has nothing to do.
func (sl *slot) isIdle() {
	sl.mu.Lock()
	if sl.busy == 0 && sl.hungry != nil {
		_ = sl.hungry.Unsubscribe()
		sl.hungry = nil
	}
	sl.mu.Unlock()
	_ = sl.nc.Publish("rv.hungry."+sl.Build, nil)
}

// isHungry cuts the slice that has most left, by its depth, for a worker that has nothing to do.
func (w *worker) isHungry(*nats.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var best *slot
	for _, sl := range w.slots {
		if sl.job != nil && !sl.asked && time.Since(sl.since) > minHungry && (best == nil || sl.top < best.top) {
			best = sl
		}
	}
	if best != nil {
		best.asked = true
		best.due.Store(true)
	}
}

// An order is an item of the queue, and what it takes to explore it.
type order struct {
	msg        jetstream.Msg
	js         *jobState
	generation int
	id         string
	item       explore.Item
	pending    uint64 // items that wait in the queue
	delivered  uint64
	leaving    <-chan struct{} // the worker has to leave
}

// item explores an item of the queue and records it.
func (sl *slot) item(outer context.Context, msg jetstream.Msg) {
	ctx := context.WithoutCancel(outer) // what was explored is recorded, whatever happens
	o, err := sl.order(ctx, msg)
	if err != nil {
		sl.Log.Warn("an item is left out", "subject", msg.Subject(), "error", err)
		_ = msg.Term()
		return
	}
	if o == nil { // of a job that has ended, is paused, or is not for this worker
		return
	}
	beat := make(chan struct{})
	go heartbeat(msg, beat)
	defer close(beat)
	o.leaving = outer.Done()
	rest, err := sl.finish(ctx, o)
	if err != nil && sl.lost != nil {
		sl.lost(err)
		return
	}
	if err != nil {
		sl.Log.Warn("an item could not be recorded: another worker gets it", "id", o.id, "error", err)
		_ = msg.NakWithDelay(time.Second)
		return
	}
	if err := sl.enqueue(ctx, &o.js.job, o.generation, rest); err != nil {
		sl.Log.Warn("items could not be queued", "error", err)
		_ = msg.NakWithDelay(time.Second)
		return
	}
	_ = msg.Ack()
}

// heartbeat tells the server that the item is being explored.
func heartbeat(msg jetstream.Msg, end chan struct{}) {
	tick := time.NewTicker(ackWait / 4)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			_ = msg.InProgress()
		}
	}
}

// order reads an item of the queue. It returns nil if there is nothing to do, and has told the server what to do with the message.
func (sl *slot) order(ctx context.Context, msg jetstream.Msg) (*order, error) {
	parts := strings.Split(msg.Subject(), ".") // rv.item.BUILD.JOB.GENERATION.ID
	if len(parts) != 6 {
		return nil, errors.New("its subject is wrong")
	}
	o := &order{msg: msg, id: parts[5]}
	var err error
	if o.generation, err = strconv.Atoi(parts[4]); err != nil {
		return nil, err
	}
	if o.item, err = decodeItem(msg.Data()); err != nil {
		return nil, err
	}
	if meta, err := msg.Metadata(); err == nil {
		o.pending, o.delivered = meta.NumPending, meta.NumDelivered
	}
	if o.js = sl.jobOf(ctx, parts[3]); o.js == nil || o.js.stop.Load() {
		return nil, msg.Term() // when its client goes on with the job it queues the item again
	}
	if err := o.js.load(ctx, sl.store, o.generation); err != nil {
		return nil, err
	}
	o.js.mu.Lock()
	defer o.js.mu.Unlock()
	if o.generation != o.js.current.Generation {
		return nil, msg.Term() // it is void
	}
	if n := o.js.job.Limits.Slots; n > 0 && o.js.busy >= n {
		return nil, msg.NakWithDelay(100 * time.Millisecond)
	}
	return o, nil
}

// jobOf returns the job with an ID, nil if it does not run.
func (w *worker) jobOf(ctx context.Context, id string) *jobState {
	w.mu.Lock()
	js := w.jobs[id]
	w.mu.Unlock()
	if js != nil && !js.stop.Load() {
		return js
	}
	var j Job // it may be newer than what the watcher has seen
	key, _, _ := strings.Cut(id, "-")
	revision, err := w.get(ctx, "job."+key, &j)
	if err != nil || j.ID != id || j.State != running || j.Build != w.Build {
		return nil
	}
	return w.note(&j, revision)
}

// load loads the program of the job, and the Setup if it is older than the generation.
func (js *jobState) load(ctx context.Context, s *store, generation int) (err error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.prog == nil {
		if js.prog, err = s.program(ctx, js.job.Program); err != nil {
			return err
		}
		if js.opts, err = js.job.Spec.explore(); err != nil {
			return err
		}
	}
	if js.search != nil && js.current.Generation >= generation {
		return nil
	}
	return js.refresh(ctx, s)
}

// refresh reads the present Setup. The caller holds mu.
func (js *jobState) refresh(ctx context.Context, s *store) (err error) {
	var now setup
	if _, err = s.get(ctx, "setup."+js.job.ID, &now); err != nil {
		return fmt.Errorf("the setup of the job: %w", err)
	}
	if js.search, err = explore.NewSearch(js.prog, js.opts, now.Setup); err != nil {
		return err
	}
	js.current = now
	return nil
}

// finish sees to it that an item has a record, and returns the items that the record names and that have none.
func (sl *slot) finish(ctx context.Context, o *order) (map[string]explore.Item, error) {
	data, err := sl.record(ctx, &o.js.job, o.generation, o.id)
	if err != nil {
		return nil, err
	}
	first := data == nil
	if first {
		if o.delivered > 1 {
			why, end, err := sl.tried(ctx, o)
			if err != nil {
				return nil, err
			}
			defer end()
			if why != "" {
				o.js.failed.CompareAndSwap(nil, &why)
			}
		}
		if data, err = sl.explore(ctx, o); data == nil {
			return nil, err
		}
		old, err := sl.publish(ctx, doneSubject(&o.js.job, o.generation, o.id), data)
		if err != nil {
			return nil, err
		}
		if old { // another worker was faster, or an earlier try of this one was not in vain
			if data, err = sl.record(ctx, &o.js.job, o.generation, o.id); data == nil {
				return nil, cmp.Or(err, errors.New("the record that is there can't be read yet"))
			}
			first = false
		}
	}
	rest, err := children(sl.Build, o.id, data)
	if err != nil {
		return nil, nil // the client deletes it and queues the item again
	}
	for id := range rest {
		if first {
			break
		}
		if known, err := sl.record(ctx, &o.js.job, o.generation, id); err != nil || known != nil {
			delete(rest, id)
		}
	}
	return rest, nil
}

// tried counts how often an item was begun that was given to a worker before. It returns why to give up if that was often, and a function that forgets it.
func (sl *slot) tried(ctx context.Context, o *order) (why string, end func(), err error) {
	key := "try." + o.js.job.ID + "." + o.id
	var n int
	if _, err := sl.get(ctx, key, &n); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return "", nil, err
	}
	if n++; n > maxTries {
		why = fmt.Sprintf("%d workers that explored the same item were killed or crashed: see their logs (item %s)", n-1, o.id)
	}
	return why, func() { _ = sl.store.jobs.Delete(ctx, key) }, sl.set(ctx, key, n)
}

// explore explores an item for a slice, and returns its record; nil if there is nothing to record.
func (sl *slot) explore(ctx context.Context, o *order) ([]byte, error) {
	js := o.js
	for {
		js.mu.Lock()
		search, void := js.search, js.current.Generation != o.generation
		js.mu.Unlock()
		if void {
			return nil, nil
		}
		if why := js.failed.Load(); why != nil {
			return encode(sl.Build, &explore.Record{GaveUp: *why}, 0, 0)
		}
		if sl.search != search {
			sl.search, sl.explorer = search, search.NewExplorer()
		}
		var due, stop atomic.Bool
		n := sl.begin(o, &due, &stop)
		begin := time.Now()
		rec := sl.explorer.Explore(o.item, explore.Slice{Due: &due, Stop: &stop})
		took := time.Since(begin)
		asked := sl.end(o, rec, took)
		if rec.Next != nil {
			if err := js.learn(ctx, sl.store, o.generation, search, rec.Next); err != nil {
				return nil, err
			}
			continue
		}
		if stop.Load() && rec.GaveUp != "" {
			if js.failed.Load() != nil {
				continue
			}
			sl.search, sl.explorer = nil, nil
			if sl.isFull() {
				return nil, fmt.Errorf("this worker has come to its memory limit (--max-memory): %d bytes are in use", limits.InUse())
			}
			return nil, nil // the job has ended
		}
		if asked {
			n = splits
		}
		return encode(sl.Build, rec, n, took.Seconds())
	}
}

// isFull reports whether the last slice was stopped because the process has too much memory, and gives what it can back.
func (sl *slot) isFull() bool {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	if sl.full {
		debug.FreeOSMemory()
	}
	return sl.full
}

// begin notes that the slot explores o, and has the slice end in time. It returns how many items to split the rest into.
func (sl *slot) begin(o *order, due, stop *atomic.Bool) int {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	sl.job, sl.since, sl.top, sl.due, sl.stop, sl.asked, sl.full = o.js, time.Now(), o.item.Top, due, stop, false, false
	sl.busy++
	if sl.hungry == nil {
		sl.hungry, _ = sl.nc.QueueSubscribe("rv.hungry."+sl.Build, "busy", sl.isHungry)
	}
	select {
	case <-o.leaving:
		due.Store(true)
	default:
	}
	if o.js.stop.Load() {
		stop.Store(true)
	}
	time.AfterFunc(sl.sliceOf(time.Since(o.js.job.Created)), func() { due.Store(true) })
	o.js.mu.Lock()
	o.js.busy++
	o.js.mu.Unlock()
	if o.pending < uint64(sl.Slots) {
		return splits
	}
	return 1
}

// sliceOf returns how long to explore an item of a job of that age. The first slices are short, so that there are soon items for all workers, unless they are few.
func (w *worker) sliceOf(age time.Duration) time.Duration {
	if w.lost == nil && age < 10*minSlice {
		return max(age/10, firstSlice)
	}
	return min(max(age/ageShare, minSlice), maxSlice)
}

// end notes that the slice is over. It reports whether it was cut for a hungry worker.
func (sl *slot) end(o *order, rec *explore.Record, took time.Duration) bool {
	n := rec.Complete + rec.Blocked
	sl.total.Add(n)
	sl.Metrics.add("ravel_worker_executions_total", float64(n))
	sl.Metrics.add("ravel_worker_slices_total", 1)
	sl.Metrics.add("ravel_worker_busy_seconds_total", took.Seconds())
	o.js.mu.Lock()
	o.js.busy--
	o.js.mu.Unlock()
	sl.mu.Lock()
	defer sl.mu.Unlock()
	sl.job = nil
	sl.busy--
	sl.Log.Debug("a slice", "item", o.id, "executions", n, "seconds", took.Seconds(), "levels", len(rec.Rest.Path))
	return sl.asked
}

// learn replaces the Setup that search has by next, unless another worker has replaced it already.
func (js *jobState) learn(ctx context.Context, s *store, generation int, search *explore.Search, next *explore.Setup) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.search != search {
		return nil
	}
	if err := replaceSetup(ctx, s, &js.job, generation, search.Setup(), next); err != nil {
		return err
	}
	return js.refresh(ctx, s)
}

// replaceSetup replaces the Setup old of a generation by next, if it is still that.
func replaceSetup(ctx context.Context, s *store, j *Job, generation int, old, next *explore.Setup) error {
	var now setup
	revision, err := s.get(ctx, "setup."+j.ID, &now)
	if err != nil {
		return err
	}
	if now.Generation != generation || len(now.Setup.Threads) != len(old.Threads) {
		return nil // another one was faster
	}
	now.Setup = *next
	what := "more threads"
	if !next.Extends(old) {
		now.Generation++
		what = "the search begins again"
	}
	err = s.put(ctx, "setup."+j.ID, now, revision)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	if err == nil {
		s.log.Info("a job has learnt something", "job", j.Name, "generation", now.Generation, "what", what, "threads", len(next.Threads)+1)
	}
	return err
}
