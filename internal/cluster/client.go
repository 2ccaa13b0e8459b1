package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/limits"
)

// A ClientConfig says how to submit and follow a job.
type ClientConfig struct {
	Access  Access
	Build   string
	Version string
	Model   Model
	Name    string          // of the job, for people
	Client  json.RawMessage // what this client needs to go on (Resume)
	Limits  Limits
	First   time.Duration // how long to explore here before there is a job; 0 is firstTime, less than 0 is not at all
	Log     *slog.Logger
	Metrics *Metrics
	// OnStatus is called now and then.
	OnStatus func(Status)

	here bool   // this process is the worker, too
	end  func() // see End
	kept string // see Kept
}

// firstTime is long enough for small searches to end, and for most programs to show all their threads and sizes of accesses.
const firstTime = time.Second / 5

// A Status is how far a job is.
type Status struct {
	Job, Name, Model string
	State            string
	Created          time.Time
	Seconds          float64 // since it was created
	Executions       int64
	Rate             float64 // executions per second
	Share            float64 // of the search, by an estimate
	States           int64   `json:",omitempty"` // of --engine states, as the next one; Records is how often they were saved
	Transitions      int64   `json:",omitempty"`
	Records, Open    int64
	Generation       int
	Workers, Slots   int
	Errors           int
	PID              int // of the client
}

// Run explores p with the workers of a cluster. It does small searches here.
func (c *ClientConfig) Run(ctx context.Context, p *ir.Program, opts explore.Options) (*explore.Result, error) {
	f, err := c.follower(p, opts)
	if err != nil {
		return nil, err
	}
	if err := f.connect(ctx); err != nil {
		return nil, err
	}
	attached, err := f.attach(ctx)
	if err != nil {
		return nil, err
	}
	if !attached {
		due, cancel := context.WithTimeout(ctx, cmp.Or(c.First, firstTime))
		defer cancel()
		res, first, err := f.explore(ctx, due)
		if first == nil {
			return res, err
		}
		if err := f.submit(ctx, first); err != nil {
			return nil, err
		}
	}
	return f.follow(ctx)
}

// End ends the connection to the server, and removes a job that has ended. It is called after the result has been told: until then another client can find it.
func (c *ClientConfig) End() {
	if c.end != nil {
		c.end()
	}
}

// Kept returns the job that was left on the server before it was complete, "" if none was.
func (c *ClientConfig) Kept() string { return c.kept }

// A first is the first item of a job, and what its exploration gave.
type first struct {
	id     string
	setup  explore.Setup
	record []byte
	rest   map[string]explore.Item
}

// explore explores the first item here until due ends. If that is all there is, it returns the result.
func (f *follower) explore(outer, due context.Context) (*explore.Result, *first, error) {
	ctx, cancel := engine.WithTimeout(outer, f.opts.Timeout)
	defer cancel()
	var isDue, stop, full atomic.Bool
	isDue.Store(due.Err() != nil)
	defer context.AfterFunc(due, func() { isDue.Store(true) })()
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	go func() {
		for ; ctx.Err() == nil && !full.Load(); time.Sleep(100 * time.Millisecond) {
			if f.opts.MaxMemory > 0 && limits.Exceeded(f.opts.MaxMemory) {
				full.Store(true)
				cancel()
			}
		}
	}()
	x := &first{id: "root"}
	item := explore.Root()
	if f.opts.Hunt > 0 {
		defer time.AfterFunc(f.opts.Hunt, func() { isDue.Store(true) }).Stop()
		x.id, item = "walk-0", explore.Walks(1)[0]
	}
	for {
		search, err := explore.NewSearch(f.prog, f.opts, x.setup)
		if err != nil {
			return nil, nil, err
		}
		begin := time.Now()
		rec := search.NewExplorer().Explore(item, explore.Slice{Due: &isDue, Stop: &stop})
		if rec.Next != nil {
			x.setup = *rec.Next
			continue
		}
		var sum explore.Sum
		sum.Add(rec, f.opts.KeepGoing)
		next := sum.Next(search.Setup())
		isOver := len(rec.Rest.Path) == 0 || sum.Ends(f.opts.KeepGoing) || f.opts.Hunt > 0 && time.Since(f.start) >= f.opts.Hunt
		if next == nil && isOver {
			if stop.Load() && rec.GaveUp != "" {
				sum.GaveUp = engine.Why(ctx)
				if full.Load() {
					sum.GaveUp = engine.MemoryLimit
				}
			}
			short, end := context.WithCancel(ctx)
			isShort := context.AfterFunc(due, end)
			var res *explore.Result
			res, next, err = search.Result(short, &sum)
			isShort()
			end()
			if next == nil && (err != nil || due.Err() == nil || ctx.Err() != nil || sum.GaveUp != "" || res.GaveUp == "") {
				return res, nil, err
			}
		}
		if next != nil {
			x.setup = *next
			continue
		}
		if x.record, err = encode(f.Build, rec, splits, time.Since(begin).Seconds()); err != nil {
			return nil, nil, err
		}
		f.search, f.sum = search, &sum
		x.rest, err = children(f.Build, x.id, x.record)
		return nil, x, err
	}
}

// A follower follows a job.
type follower struct {
	*ClientConfig
	*store
	spec     Spec
	program  []byte // encoded
	job      Job
	revision uint64 // of the job
	prog     *ir.Program
	opts     explore.Options
	search   *explore.Search
	start    time.Time

	generation int
	sum        *explore.Sum
	frontier   map[string]explore.Item // items that have no record
	records    int64
	before     rate
	away       time.Time // when there was no connection
	reconnects uint64
	warned     map[string]bool

	helloMu sync.Mutex
	workers map[string]hello
	heard   map[string]time.Time
}

// A rate is how many executions there were at a time.
type rate struct {
	at time.Time
	n  int64
}

// follower returns one that has no job yet.
func (c *ClientConfig) follower(p *ir.Program, opts explore.Options) (*follower, error) {
	if err := c.Model.Collect(); err != nil {
		return nil, err
	}
	data, err := p.Encode() // before it is compiled, which adds positions
	if err != nil {
		return nil, err
	}
	spec := Spec{Build: c.Build, Program: digest(data), Model: c.Model, Options: optionsOf(&opts), Limits: c.Limits}
	return &follower{ClientConfig: c, spec: spec, program: data, opts: opts, prog: p, start: time.Now()}, nil
}

// connect connects to the server.
func (f *follower) connect(ctx context.Context) (err error) {
	if f.store, err = f.Access.open(ctx, "ravel check", f.Log); err == nil {
		f.end = f.close
	}
	return err
}

// attach finds the job, if it is there.
func (f *follower) attach(ctx context.Context) (bool, error) {
	var err error
	f.revision, err = f.get(ctx, "job."+f.spec.key(), &f.job)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && f.job.State == ended {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f.Log.Info("the job is there: going on with it", "job", f.job.Name, "id", f.job.ID, "created", f.job.Created)
	return true, f.setState(ctx, running)
}

// submit puts the job on the server, whose first item has been explored.
func (f *follower) submit(ctx context.Context, x *first) error {
	spec := &f.spec
	f.job = Job{Spec: *spec, ID: spec.key() + "-" + strings.ToLower(nuid.Next()[10:]), Created: time.Now(), State: running, Name: f.Name, Client: f.Client}
	if _, err := f.programs.GetInfo(ctx, spec.Program); err != nil {
		err := f.again(ctx, "store the program", func(ctx context.Context) error {
			_, err := f.programs.PutBytes(ctx, spec.Program, f.program)
			return err
		})
		if err != nil {
			return fmt.Errorf("the program: %w", err)
		}
	}
	if err := f.set(ctx, "setup."+f.job.ID, setup{1, x.setup}); err != nil {
		return err
	}
	if _, err := f.publish(ctx, doneSubject(&f.job, 1, x.id), x.record); err != nil {
		return fmt.Errorf("the first record: %w", err)
	}
	err := f.put(ctx, "job."+spec.key(), f.job, f.revision)
	if errors.Is(err, jetstream.ErrKeyExists) { // another client was faster
		if attached, err := f.attach(ctx); err != nil || attached {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("the job: %w", err)
	}
	if f.revision, err = f.get(ctx, "job."+spec.key(), &f.job); err != nil {
		return err
	}
	f.Log.Info("a job is submitted", "job", f.job.Name, "id", f.job.ID, "program", spec.Program[:12], "bytes", len(f.program), "threads", len(x.setup.Threads)+1)
	if err := f.enqueue(ctx, &f.job, 1, x.rest); err != nil && f.life.Err() == nil {
		f.warn("items can't be queued: %v", err) // audit tries again
	}
	return nil
}

// setState changes the state of the job.
func (f *follower) setState(ctx context.Context, state string) error {
	for {
		if f.job.State == state {
			return nil
		}
		j := f.job
		if j.State = state; state == ended {
			j.Ended = time.Now()
		}
		err := f.put(ctx, "job."+f.job.Spec.key(), j, f.revision)
		if err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		if f.revision, err = f.get(ctx, "job."+f.job.Spec.key(), &j); err != nil {
			return err
		}
		if j.ID != f.job.ID {
			return errors.New("another client has submitted the job anew")
		}
		f.job = j
	}
}

// follow adds records up until there are no more items.
func (f *follower) follow(ctx context.Context) (*explore.Result, error) {
	hellos, err := f.nc.Subscribe(helloPrefix+">", func(m *nats.Msg) { f.onHello(m) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = hellos.Unsubscribe() }()
	for {
		res, again, err := f.oneGeneration(ctx)
		if err != nil && f.life.Err() != nil && f.search != nil {
			res, again, err = f.pause(ctx, context.Cause(f.life).Error())
		}
		if err != nil || !again {
			return res, err
		}
	}
}

// oneGeneration follows a generation. It reports whether there is another one.
func (f *follower) oneGeneration(ctx context.Context) (*explore.Result, bool, error) {
	var now setup
	bg := context.WithoutCancel(ctx)
	if _, err := f.get(bg, "setup."+f.job.ID, &now); err != nil {
		return nil, false, fmt.Errorf("the setup of the job: %w", err)
	}
	if err := f.useSetup(&now); err != nil {
		return nil, false, err
	}
	f.generation, f.sum, f.records = now.Generation, &explore.Sum{}, 0
	f.frontier = f.roots()
	f.before = rate{}
	if now.Generation > 1 {
		f.Log.Info("a generation begins", "generation", now.Generation)
		f.purge(bg, now.Generation)
	}
	watch, err := f.watch(bg, "setup."+f.job.ID)
	if err != nil {
		return nil, false, fmt.Errorf("the setup of the job: %w", err)
	}
	defer func() { _ = watch.Stop() }()
	msgs := make(chan jetstream.Msg, 1024)
	deafen, err := f.listen(bg, msgs)
	if err != nil {
		return nil, false, fmt.Errorf("the records of the job: %w", err)
	}
	defer func() { deafen() }()
	for id, it := range f.frontier {
		if data, err := f.record(bg, &f.job, f.generation, id); err == nil && data == nil {
			if err := f.enqueue(bg, &f.job, f.generation, map[string]explore.Item{id: it}); err != nil {
				f.warn("items can't be queued: %v", err)
			}
		}
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	last, silence := time.Now(), firstSilence
	updates := watch.Updates()
	for {
		select {
		case m := <-msgs:
			last = time.Now()
			f.add(bg, m)
			for len(msgs) > 0 { // what else is there
				f.add(bg, <-msgs)
			}
		case e, ok := <-updates:
			var next setup
			if !ok {
				updates = nil // audit looks, too
			}
			if e == nil || json.Unmarshal(e.Value(), &next) != nil {
				continue
			}
			if next.Generation > f.generation {
				return nil, true, nil
			}
			if err := f.useSetup(&next); err != nil {
				return nil, false, err
			}
		case <-tick.C:
			if time.Since(last) > silence {
				if again, err := f.audit(bg); again || err != nil {
					return nil, again, err
				}
				if silence > firstSilence && f.isDeaf(bg) {
					f.Log.Info("records are not delivered: asking for them anew")
					if stop, err := f.listen(bg, msgs); err == nil {
						deafen()
						deafen = stop
					}
				}
				last, silence = time.Now(), 10*firstSilence
			}
			f.tell(bg)
			if why := f.giveUp(ctx); why != "" {
				return f.pause(bg, why)
			}
			if f.opts.Hunt > 0 && time.Since(f.job.Created) > f.opts.Hunt {
				return f.finish(ctx)
			}
		}
		if next := f.sum.Next(f.search.Setup()); next != nil {
			if err := replaceSetup(bg, f.store, &f.job, f.generation, f.search.Setup(), next); err != nil {
				f.warn("the setup can't be changed: %v", err)
			}
			continue // the watcher tells
		}
		if len(f.frontier) == 0 || f.sum.Ends(f.opts.KeepGoing) {
			return f.finish(ctx)
		}
	}
}

// useSetup makes the search that has the Setup.
func (f *follower) useSetup(s *setup) (err error) {
	if f.search != nil && s.Generation == f.generation && s.Setup.Extends(f.search.Setup()) && len(s.Setup.Threads) == len(f.search.Setup().Threads) {
		return nil
	}
	f.search, err = explore.NewSearch(f.prog, f.opts, s.Setup)
	return err
}

// roots are the items that a job begins with.
func (f *follower) roots() map[string]explore.Item {
	if f.opts.Hunt == 0 {
		return map[string]explore.Item{"root": explore.Root()}
	}
	items := map[string]explore.Item{}
	for i, it := range explore.Walks(huntChains) {
		items[fmt.Sprintf("walk-%d", i)] = it
	}
	return items
}

// huntChains is how many chains of walks a hunt has: no more slots than that work on it.
const huntChains = 256

// firstSilence is how long there may be no record before the client looks why.
const firstSilence = 300 * time.Millisecond

// listen passes the records of the generation to msgs, until the function that it returns is called.
func (f *follower) listen(ctx context.Context, msgs chan<- jetstream.Msg) (func(), error) {
	records, err := f.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	end := make(chan struct{})
	go deliver(records, msgs, end, f.Log)
	return func() {
		close(end)
		go records.Stop() // it waits for a server that may be gone
	}, nil
}

// isDeaf reports whether there is a record of an open item that was not delivered. What delivers the records has no copies: if it is on a server that is gone for
// good, it is silent for ever, and to listen anew makes another one.
func (f *follower) isDeaf(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tries := 0
	for id := range f.frontier {
		if data, err := f.record(ctx, &f.job, f.generation, id); err == nil && data != nil {
			return true
		}
		if tries++; tries == 100 || ctx.Err() != nil {
			break
		}
	}
	return false
}

// subscribe has the records of the generation delivered, in order and from the first one.
func (f *follower) subscribe(ctx context.Context) (jetstream.MessagesContext, error) {
	var m jetstream.MessagesContext
	err := f.again(ctx, "read the records", func(ctx context.Context) error {
		c, err := f.js.OrderedConsumer(ctx, doneStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{doneSubject(&f.job, f.generation, "*")}, DeliverPolicy: jetstream.DeliverAllPolicy,
		})
		if err == nil {
			m, err = c.Messages(jetstream.PullMaxMessages(1000))
		}
		return err
	})
	return m, err
}

// deliver passes messages on until end is closed.
func deliver(from jetstream.MessagesContext, to chan<- jetstream.Msg, end <-chan struct{}, log *slog.Logger) {
	for {
		m, err := from.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return
		}
		if err != nil {
			select {
			case <-end:
				return
			case <-time.After(100 * time.Millisecond):
			}
			log.Debug("records", "error", err)
			continue
		}
		select {
		case to <- m:
		case <-end:
			return
		}
	}
}

// add adds a record. One of an item that has been added, or that was not named, does not count.
func (f *follower) add(ctx context.Context, m jetstream.Msg) {
	id := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	if _, open := f.frontier[id]; !open {
		return
	}
	rec, children, err := decode(f.Build, m.Data())
	if err != nil {
		f.drop(ctx, m, id, err)
		return
	}
	delete(f.frontier, id)
	for _, it := range children {
		f.frontier[childID(id, it)] = it
	}
	f.sum.Add(rec, f.opts.KeepGoing)
	f.records++
}

// drop deletes a record that can't be read, and has its item explored again.
func (f *follower) drop(ctx context.Context, m jetstream.Msg, id string, why error) {
	f.warn("a record is dropped, and its item is explored again: %v", why)
	meta, err := m.Metadata()
	if err == nil {
		err = f.done.DeleteMsg(ctx, meta.Sequence.Stream)
	}
	if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) {
		err = f.enqueue(ctx, &f.job, f.generation, map[string]explore.Item{id: f.frontier[id]})
	}
	if err != nil {
		f.warn("the record of item %s can't be deleted: %v", id, err)
	}
}

// warn logs a warning once.
func (f *follower) warn(format string, args ...any) {
	if f.warned == nil {
		f.warned = map[string]bool{}
	}
	if text := fmt.Sprintf(format, args...); !f.warned[text] {
		f.warned[text] = true
		f.Log.Warn(text)
	}
}

// audit queues the items that have no record. Those that are in the queue, or that a worker has, stay. It reports whether there is a newer generation, and returns an
// error if another client has ended the job.
func (f *follower) audit(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var j Job
	if revision, err := f.get(ctx, "job."+f.job.Spec.key(), &j); err == nil || errors.Is(err, jetstream.ErrKeyNotFound) {
		if j.ID != f.job.ID || j.State == ended {
			return false, errors.New("another client has followed the same job, told its result and ended it")
		}
		f.revision, f.job = revision, j
		if err := f.setState(ctx, running); err != nil { // another client has paused it
			f.warn("the job can't be continued: %v", err)
		}
	}
	var now setup
	if _, err := f.get(ctx, "setup."+f.job.ID, &now); err == nil && now.Generation > f.generation {
		return true, nil
	}
	if err := f.enqueue(ctx, &f.job, f.generation, f.frontier); err != nil {
		f.warn("items can't be queued: %v", err)
	}
	return false, nil
}

// purge removes what is left of generations before the given one.
func (f *follower) purge(ctx context.Context, generation int) {
	for g := max(generation-3, 1); g < generation; g++ {
		for _, err := range []error{
			f.items.Purge(ctx, jetstream.WithPurgeSubject(itemSubject(&f.job, g, "*"))),
			f.done.Purge(ctx, jetstream.WithPurgeSubject(doneSubject(&f.job, g, "*"))),
		} {
			if err != nil {
				f.Log.Debug("purge", "generation", g, "error", err)
			}
		}
	}
}

// giveUp says why not to follow the job any more, "" if there is no reason.
func (f *follower) giveUp(ctx context.Context) string {
	switch {
	case f.life.Err() != nil:
		return context.Cause(f.life).Error()
	case ctx.Err() != nil:
		return "interrupted"
	case f.opts.Timeout > 0 && time.Since(f.start) > f.opts.Timeout:
		return fmt.Sprintf("stopped after %v (--timeout)", f.opts.Timeout)
	case f.here && f.opts.MaxMemory > 0 && limits.Exceeded(f.opts.MaxMemory):
		return engine.MemoryLimit
	}
	return ""
}

// left returns how much of the time limit is left; 0 is no limit.
func (f *follower) left() time.Duration {
	if f.opts.Timeout == 0 {
		return 0
	}
	return max(f.opts.Timeout-time.Since(f.start), time.Millisecond)
}

// pause leaves the job on the server as it is. Workers leave it alone until a client goes on with it.
func (f *follower) pause(ctx context.Context, why string) (*explore.Result, bool, error) {
	f.kept, f.before = f.job.ID, rate{}
	if f.life.Err() == nil {
		if err := f.setState(ctx, paused); err != nil {
			f.warn("the job could not be paused: %v", err)
		}
		f.tell(ctx)
	}
	sum := *f.sum
	sum.GaveUp = why
	res, _, err := f.search.Result(ctx, &sum)
	return res, false, err
}

// finish makes the result, and has workers leave the job alone.
func (f *follower) finish(outer context.Context) (*explore.Result, bool, error) {
	timed, cancel := engine.WithTimeout(outer, f.left())
	defer cancel()
	ctx := context.WithoutCancel(outer)
	res, next, err := f.search.Result(timed, f.sum)
	if err == nil && next == nil && timed.Err() != nil && f.sum.GaveUp == "" && len(f.sum.Errors) == 0 {
		return f.pause(ctx, cmp.Or(f.giveUp(outer), engine.Why(timed)))
	}
	if next != nil {
		if err := replaceSetup(ctx, f.store, &f.job, f.generation, f.search.Setup(), next); err != nil {
			return nil, false, err
		}
		return nil, true, nil
	}
	if err := f.setState(ctx, paused); err != nil {
		f.warn("the job has ended, but its state could not be changed: %v", err)
	}
	f.end = func() {
		defer f.close()
		if err := f.setState(ctx, ended); err != nil {
			f.warn("the job has ended, but its state could not be changed: %v", err)
			return
		}
		if f.OnStatus != nil {
			f.OnStatus(f.status())
		}
		f.remove(ctx)
	}
	return res, false, err
}

// keepEnded is how long it is known of a job that it has ended, for workers and clients that were away.
const keepEnded = 24 * time.Hour

// remove removes what the job has on the server, and jobs that ended long ago.
func (f *follower) remove(ctx context.Context) {
	for _, err := range []error{
		f.items.Purge(ctx, jetstream.WithPurgeSubject("rv.item."+f.Build+"."+f.job.ID+".>")),
		f.done.Purge(ctx, jetstream.WithPurgeSubject("rv.done."+f.job.ID+".>")),
		f.jobs.Purge(ctx, "setup."+f.job.ID),
		f.jobs.Purge(ctx, "status."+f.job.ID),
	} {
		if err != nil {
			f.Log.Debug("purge", "error", err)
		}
	}
	jobs, err := f.list(ctx)
	for _, j := range jobs {
		if j.State == ended && time.Since(j.Ended) > keepEnded {
			_ = f.forget(ctx, j)
		}
	}
	if err == nil && !slices.ContainsFunc(jobs, func(j *Job) bool { return j.State != ended && j.Program == f.job.Program }) {
		err = f.programs.Delete(ctx, f.job.Program)
	}
	if err != nil {
		f.Log.Debug("remove the program", "error", err)
	}
}

// onHello notes that a worker is there.
func (f *follower) onHello(m *nats.Msg) {
	var h hello
	if json.Unmarshal(m.Data, &h) != nil {
		return
	}
	f.helloMu.Lock()
	defer f.helloMu.Unlock()
	if f.workers == nil {
		f.workers, f.heard = map[string]hello{}, map[string]time.Time{}
	}
	key := fmt.Sprint(h.Host, h.Build, h.PID)
	f.workers[key], f.heard[key] = h, time.Now()
}

// present counts the workers of this build, and names the versions of others.
func (f *follower) present() (workers, slots int, others []string) {
	f.helloMu.Lock()
	defer f.helloMu.Unlock()
	for key, h := range f.workers {
		switch {
		case time.Since(f.heard[key]) > 3*helloEvery:
		case h.Build == f.Build:
			workers++
			slots += h.Slots
		default:
			if v := named(h.Version, h.Build); !slices.Contains(others, v) {
				others = append(others, v)
			}
		}
	}
	return workers, slots, others
}

// named names a version: two builds of changed source have the same.
func named(version, build string) string { return fmt.Sprintf("%s (build %s)", version, build) }

// status returns how far the job is.
func (f *follower) status() Status {
	return Status{
		Job: f.job.ID, Name: f.job.Name, Model: f.job.Model.Name, State: f.job.State, Created: f.job.Created, Seconds: time.Since(f.job.Created).Seconds(),
		Executions: f.sum.Complete + f.sum.Blocked, Share: f.sum.Share, Records: f.records, Open: int64(len(f.frontier)), Generation: f.generation,
		Errors: len(f.sum.Errors), PID: os.Getpid(),
	}
}

// tell tells how far the job is, once a second.
func (f *follower) tell(ctx context.Context) {
	now := rate{time.Now(), f.sum.Complete + f.sum.Blocked}
	if now.at.Sub(f.before.at) < time.Second {
		return
	}
	s := f.status()
	if !f.before.at.IsZero() {
		s.Rate = float64(now.n-f.before.n) / now.at.Sub(f.before.at).Seconds()
	}
	f.before = now
	workers, slots, others := f.present()
	s.Workers, s.Slots = workers, slots
	if n := f.nc.Stats().Reconnects; n != f.reconnects || !f.nc.IsConnected() {
		f.reconnects, f.away = n, now.at
	}
	if workers == 0 && time.Since(f.start) > 5*time.Second && time.Since(f.away) > 5*time.Second {
		if len(others) > 0 {
			f.warn("no worker of this version, %s, is there: those that are have %s, and leave the job alone", named(f.Version, f.Build), strings.Join(others, ", "))
		} else {
			f.warn("no worker is there: start some with ravel worker --cluster %s", Redacted(f.Access.URL))
		}
	}
	if f.opts.OnProgress != nil {
		f.opts.OnProgress(engine.Progress{Done: now.n, Share: f.sum.Share})
	}
	if f.OnStatus != nil {
		f.OnStatus(s)
	}
	m := f.Metrics
	m.gauge("ravel_job_executions", float64(s.Executions))
	m.gauge("ravel_job_records", float64(s.Records))
	m.gauge("ravel_job_open_items", float64(s.Open))
	m.gauge("ravel_job_generation", float64(s.Generation))
	m.gauge("ravel_job_share", s.Share)
	m.gauge("ravel_job_workers", float64(workers))
	if data, err := json.Marshal(s); err == nil {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, _ = f.jobs.Put(ctx, "status."+f.job.ID, data)
	}
}
