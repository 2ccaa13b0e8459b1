package states

import (
	"bufio"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// A Checkpoint keeps a run in a folder, so that another process can go on with it.
//
// The tables of an exploration only grow, and their entries are numbered in the order in which they come (chunk.go). So a log of the new entries
// of each table restores it with the same numbers. The states are in the log in the order in which they were found: what is left of the
// present round, and what was found for the next one, are its end. The rest is in the head, which is written anew each time: to another file, which then
// replaces it. The head has the length and the checksum of the log, so what is torn never counts.
//
// A save is made while all workers rest between two batches of states. The searches for endless executions and for traces come after the last save, and
// are made again.
//
// A run may explore several times, under one model after another. The results of those that are complete are in the head.
type Checkpoint struct {
	Dir     string
	OnSave  func(Saved) // is called after each save
	OnError func(error) // … after one that failed: the next one may not

	stage  int  // the present exploration: how many came before it
	head   head // as it is in the folder
	log    *os.File
	sum    checksum // of the log
	fresh  []uint64 // states that are not in the log
	logged [tables][shards]uint32
	used   bool          // what the folder has is not to go on with any more
	paused bool          // the last exploration is not complete
	every  time.Duration // tests: between saves; 0 is by the age of the run
	begun  time.Time
	next   time.Time // of the next save
}

// Saved says what a checkpoint has.
type Saved struct {
	Counts
	Saves int
	Model Model
}

// A head is all that is not in the log.
type head struct {
	Done  []stage
	Saves int
	Spent time.Duration
	Run   *savedRun // nil: the present exploration has not been saved yet
}

// A stage is the result of an exploration that is complete.
type stage struct {
	Undef  bool
	Result Result
}

// headFile is the name of the head in the folder.
const headFile = "states.head"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A checksum is one of all that is written to it.
type checksum uint32

func (c *checksum) Write(p []byte) (int, error) {
	*c = checksum(crc32.Update(uint32(*c), castagnoli, p))
	return len(p), nil
}

// Tables of the log.
const (
	localTable = iota
	frameTable
	pageTable
	bufferTable
	pairsTable
	statesTable
	edgesTable // of the head, as the next one
	laterTable

	tables = pairsTable + 1 // those with shards
)

// A batch is a part of a table.
type batch struct {
	Table  int
	Model  Model // laterTable
	Chunks [][]uint64
	Locals []savedLocal // localTable: of each chunk
	Blocks []bool       // frameTable: of each chunk
	Words  []uint64     // of all other tables
}

// maxBatch bounds the length of a batch.
const maxBatch = 1 << 14

// A savedRun is an exploration without what is in the log and in the batches of the head.
type savedRun struct {
	Log      string
	Segments []int64  // where each save ends in the log
	Sum      checksum // of all

	Model      Model
	Undef      bool
	Symmetry   bool
	Threads    int
	MaxPages   int
	Names      []engine.ThreadKey
	Pages      []savedPage
	Futures    []savedFuture
	Cells      map[uint64]int
	Starts     map[int32]int
	Origins    map[int32]savedOrigin
	Unlike     []savedOrigin
	Several    map[int32]bool
	Classes    [][]int32
	Allocs     map[event.Addr]ir.Pos
	Persistent bool
	Plain      bool
	Cyclic     bool
	Flags      []bool // of run.flags
	Largest    int64
	Sampled    *machine.Action
	Found      []savedFound
	Warnings   []string
	Waits      []report.Wait
	Spins      []report.Wait

	Initial     uint64
	Level       Model
	Rest, Next  int // how many of the last states in the log are the rest of this round, and for the next one
	LookAt      int64
	Inside      bool
	Transitions int64
}

type savedPage struct {
	Key  uint64
	Heap bool
	Init uint32
}

type savedFuture struct {
	Thread, Creates, Joined, Target int32
	Frames                          [4]uint32
	Ahead, Relied                   map[int]uint64
	Joins, Next                     []int
}

type savedOrigin struct {
	Parent int32
	Fn     event.Addr
	Arg    event.Value
}

type savedLocal struct {
	Act                         machine.Action
	Pos                         ir.Pos
	Thread, Creates, Joins      int32
	Loads, Waits                int
	Lock, Whole, Past, IsJoined bool
	Missing                     uint8
	Outcomes                    int
	Issue                       *machine.Action
	Future                      int
}

type savedAbout struct {
	Base event.Addr
	What aboutKind
}

type savedMove struct {
	Thread int32
	Kind   moveKind
	Arg    int32
}

type savedFound struct {
	Err         machine.Error
	Pos         ir.Pos
	Thread      int32
	Abouts      []savedAbout
	Level       Model
	Loc         report.Location
	Lasso       bool
	State       uint64
	HasStem     bool
	Stem, Cycle []savedMove
}

// Saved returns what the folder has.
func (c *Checkpoint) Saved() Saved {
	s := Saved{Saves: c.head.Saves}
	for _, d := range c.head.Done {
		s.Stored += d.Result.Stored
		s.Transitions += d.Result.Transitions
	}
	return s
}

// Paused reports whether the run was left before it was complete.
func (c *Checkpoint) Paused() bool { return c.paused }

// Load reads the head, if there is one.
func (c *Checkpoint) Load() error {
	_, err := c.readHead(nil)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// damaged is the error of a file that is not as it was written.
func damaged(name string, err error) error {
	return fmt.Errorf("%s is damaged, and the run can't go on: %w", name, err)
}

// readHead reads the head, and calls each with its batches if it is not nil.
func (c *Checkpoint) readHead(each func(*batch) error) (h *head, err error) {
	name := filepath.Join(c.Dir, headFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var sum [4]byte
	n := info.Size() - int64(len(sum))
	if n < 0 {
		return nil, damaged(name, io.ErrUnexpectedEOF)
	}
	crc := checksum(0)
	if _, err := io.Copy(&crc, io.NewSectionReader(f, 0, n)); err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(sum[:], n); err != nil {
		return nil, err
	}
	if uint32(crc) != binary.LittleEndian.Uint32(sum[:]) {
		return nil, damaged(name, errors.New("its checksum is wrong"))
	}
	dec := gob.NewDecoder(bufio.NewReader(io.NewSectionReader(f, 0, n)))
	h = &head{}
	if err := dec.Decode(h); err != nil {
		return nil, damaged(name, err)
	}
	c.head = *h
	if each == nil {
		return h, nil
	}
	return h, decodeAll(dec, name, each)
}

func decodeAll(dec *gob.Decoder, name string, each func(*batch) error) error {
	for {
		b := &batch{}
		if err := dec.Decode(b); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return damaged(name, err)
		}
		if err := each(b); err != nil {
			return damaged(name, err)
		}
	}
}

// completed returns the result of the present exploration, if a process before this one has completed it, and whether it is to be begun again with Undef.
func (c *Checkpoint) completed(undef bool) (res *Result, again bool) {
	if c == nil {
		return nil, false
	}
	if c.begun.IsZero() {
		c.begun = time.Now().Add(-c.head.Spent)
		c.next = time.Now().Add(c.interval())
	}
	if c.stage < len(c.head.Done) {
		s := &c.head.Done[c.stage]
		if s.Undef && !undef {
			return nil, true
		}
		c.stage++
		return &s.Result, false
	}
	return nil, c.head.Run != nil && c.head.Run.Undef && !undef
}

// complete notes the result of the present exploration.
func (c *Checkpoint) complete(res *Result, undef bool) {
	if c == nil {
		return
	}
	if c.paused = res.GaveUp != ""; c.paused {
		return
	}
	h := c.head
	h.Done = append(slices.Clip(h.Done), stage{undef, *res})
	h.Run = nil
	c.stage++
	c.used = false
	if c.log == nil && h.Saves == 0 {
		c.head = h // it was short
		return
	}
	if err := c.writeHead(&h, nil); err != nil {
		c.fail(err)
	}
	c.head = h
	c.dropLog()
}

func (c *Checkpoint) fail(err error) {
	if c.OnError != nil {
		c.OnError(fmt.Errorf("the checkpoint can't be written: %w", err))
	}
}

// dropLog closes and removes the log.
func (c *Checkpoint) dropLog() {
	if c.log != nil {
		c.log.Close()
		os.Remove(c.log.Name())
	}
	c.log, c.fresh = nil, nil
}

// Close closes the files.
func (c *Checkpoint) Close() {
	if c.log != nil {
		c.log.Close()
		c.log = nil
	}
}

// interval returns how long to explore until the next save: a share of the age of the run.
func (c *Checkpoint) interval() time.Duration {
	age := time.Since(c.begun)
	if age < 10*time.Second {
		return max(age/10, 50*time.Millisecond)
	}
	return min(max(age/60, time.Second), 30*time.Second)
}

// isDue reports whether it is time for a save.
func (c *Checkpoint) isDue() bool { return c != nil && time.Now().After(c.next) }

// isLong reports whether the present exploration was saved before.
func (c *Checkpoint) isLong() bool { return c != nil && c.log != nil }

// found notes states that were found, in order.
func (c *Checkpoint) found(states []uint64) {
	if c != nil {
		c.fresh = append(c.fresh, states...)
	}
}

// begin begins an exploration: nothing of it is in the folder.
func (c *Checkpoint) begin() {
	if c == nil {
		return
	}
	c.Close()
	c.used, c.fresh = true, nil
	c.logged = [tables][shards]uint32{}
}

// save saves the exploration. No worker may be at work.
func (c *Checkpoint) save(r *run, p *searchState) {
	start := time.Now()
	if err := c.trySave(r, p); err != nil {
		c.fail(err)
	}
	if c.every > 0 {
		c.next = time.Now().Add(c.every)
	} else {
		c.next = time.Now().Add(max(c.interval(), 20*time.Since(start))) // saves take at most a twentieth of the time
	}
}

func (c *Checkpoint) trySave(r *run, p *searchState) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	s := r.savedRun(p)
	h := c.head
	h.Run, h.Spent = s, time.Since(c.begun)
	h.Saves++
	var old string // log of an exploration that has been begun again
	if c.log == nil {
		if c.head.Run != nil {
			old = c.head.Run.Log
		}
		if s.Log = "states-1.log"; s.Log == old {
			s.Log = "states-2.log"
		}
		f, err := os.Create(filepath.Join(c.Dir, s.Log))
		if err != nil {
			return err
		}
		c.log, c.sum = f, 0
	} else {
		s.Log, s.Segments = c.head.Run.Log, slices.Clip(c.head.Run.Segments)
	}
	from := int64(0)
	if n := len(s.Segments); n > 0 {
		from = s.Segments[n-1]
	}
	logged, err := c.appendLog(r, from, s)
	if err == nil {
		err = c.writeHead(&h, func(enc *gob.Encoder) error { return r.writeLater(enc, &p.later) })
	}
	if err != nil {
		if c.head.Run == nil || c.head.Run.Log != s.Log { // no head names it
			c.log.Close()
			os.Remove(c.log.Name())
			c.log = nil
		} else {
			c.sum = c.head.Run.Sum
		}
		return err
	}
	c.head, c.logged, c.fresh = h, logged, c.fresh[:0]
	if old != "" {
		os.Remove(filepath.Join(c.Dir, old))
	}
	if c.OnSave != nil {
		saved := c.Saved()
		n := r.counts()
		saved.Stored += n.Stored
		saved.Transitions += n.Transitions
		saved.Model = r.model
		c.OnSave(saved)
	}
	return nil
}

// writeHead replaces the head.
func (c *Checkpoint) writeHead(h *head, more func(*gob.Encoder) error) (err error) {
	name := filepath.Join(c.Dir, headFile)
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	defer f.Close()
	sum := checksum(0)
	out := bufio.NewWriterSize(io.MultiWriter(f, &sum), 1<<16)
	enc := gob.NewEncoder(out)
	if err := enc.Encode(h); err != nil {
		return err
	}
	if more != nil {
		if err := more(enc); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := binary.Write(f, binary.LittleEndian, sum); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	return syncFolder(c.Dir)
}

// syncFolder writes the names of a folder to the disk, where the system can do that.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// appendLog appends what is new in the tables to the log, which is from bytes long, and notes that in s. It returns what the log has then.
func (c *Checkpoint) appendLog(r *run, from int64, s *savedRun) (logged [tables][shards]uint32, err error) {
	if err := c.log.Truncate(from); err != nil { // of a save that failed
		return logged, err
	}
	if _, err := c.log.Seek(from, io.SeekStart); err != nil {
		return logged, err
	}
	out := bufio.NewWriterSize(io.MultiWriter(c.log, &c.sum), 1<<16)
	enc := gob.NewEncoder(out)
	logged = c.logged
	for table, t := range r.chunkTables() {
		for i := range t.shards {
			if logged[table][i], err = r.writeChunks(enc, table, &t.shards[i], logged[table][i]); err != nil {
				return logged, err
			}
		}
	}
	for i := range r.pairs.shards {
		sh := &r.pairs.shards[i]
		err := writeWords(enc, batch{Table: pairsTable}, int(sh.n-logged[pairsTable][i]), func(k int) uint64 { return *sh.list.at(logged[pairsTable][i] + 1 + uint32(k)) })
		if err != nil {
			return logged, err
		}
		logged[pairsTable][i] = sh.n
	}
	if err := writeWords(enc, batch{Table: statesTable}, len(c.fresh), func(k int) uint64 { return c.fresh[k] }); err != nil {
		return logged, err
	}
	if err := out.Flush(); err != nil {
		return logged, err
	}
	if err := c.log.Sync(); err != nil {
		return logged, err
	}
	to, err := c.log.Seek(0, io.SeekCurrent)
	s.Segments, s.Sum = append(s.Segments, to), c.sum
	return logged, err
}

func (r *run) chunkTables() [pairsTable]*chunkTable {
	return [...]*chunkTable{localTable: &r.locals, frameTable: &r.frames, pageTable: &r.pages, bufferTable: &r.buffers}
}

// writeChunks writes the chunks of a shard after the first n. It returns how many there are.
func (r *run) writeChunks(enc *gob.Encoder, table int, s *chunkShard, n uint32) (uint32, error) {
	for n < s.n {
		b := batch{Table: table}
		for n < s.n && len(b.Chunks) < maxBatch/16 {
			n++
			c := s.list.at(n)
			b.Chunks = append(b.Chunks, c.words)
			switch table {
			case localTable:
				b.Locals = append(b.Locals, c.local.saved())
			case frameTable:
				b.Blocks = append(b.Blocks, c.local == blockingFrame)
			}
		}
		if err := enc.Encode(&b); err != nil {
			return n, err
		}
	}
	return n, nil
}

// writeWords writes n words in batches like b.
func writeWords(enc *gob.Encoder, b batch, n int, at func(int) uint64) error {
	for i := 0; i < n; {
		b.Words = b.Words[:0]
		for ; i < n && len(b.Words) < maxBatch; i++ {
			b.Words = append(b.Words, at(i))
		}
		if err := enc.Encode(&b); err != nil {
			return err
		}
	}
	return nil
}

// writeLater writes what is in the head in batches.
func (r *run) writeLater(enc *gob.Encoder, later *[models][]uint64) error {
	var list []uint64
	r.edges.each(func(e uint64) bool {
		list = append(list, e)
		return true
	})
	if err := writeWords(enc, batch{Table: edgesTable}, len(list), func(k int) uint64 { return list[k] }); err != nil {
		return err
	}
	for m := range later {
		if err := writeWords(enc, batch{Table: laterTable, Model: Model(m)}, len(later[m]), func(k int) uint64 { return later[m][k] }); err != nil {
			return err
		}
	}
	return nil
}

// saved returns what is kept of a local.
func (l *local) saved() savedLocal {
	s := savedLocal{
		Act: l.act, Pos: l.pos, Thread: l.thread, Creates: l.creates, Joins: l.joins, Loads: l.loads, Waits: l.waits, Lock: l.lock, Whole: l.whole,
		Past: l.pastDeferred, IsJoined: l.joined, Missing: l.missing, Outcomes: l.outcomes, Issue: l.issue, Future: -1,
	}
	if l.future != nil {
		s.Future = l.future.number
	}
	return s
}

// flags are the flags of a run that a checkpoint keeps.
func (r *run) flags() []interface {
	Load() bool
	Store(bool)
} {
	return []interface {
		Load() bool
		Store(bool)
	}{&r.freesHeap, &r.bounded, &r.unroll, &r.deferredAll, &r.leaked, &r.exits, &r.ended, &r.blocked, &r.revisits, &r.lockRevisits}
}

// savedRun returns what the head has of r.
func (r *run) savedRun(p *searchState) *savedRun {
	r.futures.mu.Lock()
	defer r.futures.mu.Unlock()
	s := &savedRun{
		Model: r.model, Undef: r.opts.Machine.Undef, Symmetry: r.opts.Symmetry, Threads: r.threads, MaxPages: r.maxPages, Names: r.names.Keys, Cells: r.futures.cells, Starts: map[int32]int{},
		Origins: map[int32]savedOrigin{}, Several: r.symmetry.several, Classes: r.classes, Allocs: map[event.Addr]ir.Pos{},
		Persistent: r.persistent, Plain: r.plain, Cyclic: r.cyclic, Largest: r.largest.Load(), Sampled: r.sampled.Load(),
		Warnings: r.warnings, Waits: r.waits, Spins: r.spins,
		Initial: r.initial, Level: r.level, Rest: len(p.rest), Next: len(p.next), LookAt: p.lookAt, Inside: p.inside, Transitions: r.transitions.Load(),
	}
	for _, pg := range r.pageList {
		s.Pages = append(s.Pages, savedPage{pg.key, pg.heap, pg.init})
	}
	for _, f := range r.futures.list {
		s.Futures = append(s.Futures, f.saved())
	}
	r.starts.Range(func(t, f any) bool {
		s.Starts[t.(int32)] = f.(*future).number
		return true
	})
	r.allocs.Range(func(a, pos any) bool {
		s.Allocs[a.(event.Addr)] = pos.(ir.Pos)
		return true
	})
	for t, o := range r.symmetry.origins {
		s.Origins[t] = savedOrigin{o.parent, o.fn, o.arg}
	}
	for o := range r.symmetry.unlike {
		s.Unlike = append(s.Unlike, savedOrigin{o.parent, o.fn, o.arg})
	}
	for _, f := range r.flags() {
		s.Flags = append(s.Flags, f.Load())
	}
	for _, f := range r.found {
		s.Found = append(s.Found, f.saved())
	}
	return s
}

func (o *future) saved() savedFuture {
	s := savedFuture{
		Thread: o.key.thread, Creates: o.key.creates, Joined: o.key.joins, Target: o.key.target, Frames: o.key.frames,
		Ahead: map[int]uint64{}, Relied: map[int]uint64{},
	}
	for i := range o.ahead {
		if x := o.ahead[i].Load(); x != 0 {
			s.Ahead[i] = x
		}
		if x := o.relied[i].Load(); x != 0 {
			s.Relied[i] = x
		}
	}
	for _, j := range deref(o.joins.Load()) {
		s.Joins = append(s.Joins, j.number)
	}
	for _, n := range deref(o.next.Load()) {
		s.Next = append(s.Next, n.number)
	}
	return s
}

func (f *found) saved() savedFound {
	s := savedFound{Err: *f.err, Pos: f.pos, Thread: f.thread, Level: f.level, Loc: f.loc, Lasso: f.lasso != nil}
	for _, a := range f.abouts {
		s.Abouts = append(s.Abouts, savedAbout{a.base, a.what})
	}
	if l := f.lasso; l != nil {
		s.State, s.HasStem, s.Stem, s.Cycle = l.state, l.stem != nil, savedMoves(l.stem), savedMoves(l.cycle)
	}
	return s
}

func savedMoves(list []move) (s []savedMove) {
	for _, m := range list {
		s = append(s, savedMove{m.thread, m.kind, m.arg})
	}
	return s
}
