package states

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// resumes returns the exploration to go on with, nil if there is none.
func (c *Checkpoint) resumes() *savedRun {
	if c == nil || c.used {
		return nil
	}
	return c.head.Run
}

// prepare gives r what explorations share, as it was: before r has a shape.
func (s *savedRun) prepare(r *run) {
	r.threads, r.maxPages = s.Threads, s.MaxPages
	r.persistent, r.plain, r.cyclic = s.Persistent, s.Plain, s.Cyclic
	r.names.Keys = s.Names
	r.largest.Store(s.Largest)
	o := r.futures
	for key, n := range s.Cells {
		o.cells[key] = n
	}
	for i := range s.Futures {
		f := &s.Futures[i]
		o.at(placeKey{f.Thread, f.Creates, f.Joined, f.Target, f.Frames})
	}
	for t, p := range s.Origins {
		r.symmetry.origins[t] = p.origin()
	}
	for _, p := range s.Unlike {
		r.symmetry.unlike[p.origin()] = true
	}
	for t := range s.Several {
		r.symmetry.several[t] = true
	}
}

func (o savedOrigin) origin() origin { return origin{o.Parent, o.Fn, o.Arg} }

// restoreFutures sets what futures know. They exist by now, and rely on nothing.
func (s *savedRun) restoreFutures(o *futures) {
	for i := range s.Futures {
		from, p := &s.Futures[i], o.list[i]
		for k, x := range from.Ahead {
			p.ahead[k].Store(x)
		}
		for k, x := range from.Relied {
			p.relied[k].Store(x)
		}
		for _, j := range from.Joins {
			add(&p.joins, o.list[j])
		}
		for _, n := range from.Next {
			add(&p.next, o.list[n])
			o.list[n].before = append(o.list[n].before, p)
		}
	}
}

// restore restores r, which has the shape that it had. It returns where the search was; nil if there is nothing to go on with.
func (c *Checkpoint) restore(r *run) (p *searchState, err error) {
	s := c.resumes()
	if s == nil {
		return nil, nil
	}
	c.used = true
	r.initial, r.level = s.Initial, s.Level
	s.restoreFutures(r.futures)
	r.setClasses(s.Classes)
	for i, pg := range s.Pages {
		r.pageList = append(r.pageList, page{pg.Key, pg.Heap, pg.Init})
		r.pageOf[pg.Key] = int32(i)
	}
	for t, n := range s.Starts {
		r.starts.Store(t, r.futures.list[n])
	}
	for a, pos := range s.Allocs {
		r.allocs.Store(a, pos)
	}
	for i, f := range r.flags() {
		f.Store(s.Flags[i])
	}
	r.sampled.Store(s.Sampled)
	for i := range s.Found {
		r.found = append(r.found, s.Found[i].found())
	}
	r.warnings, r.waits, r.spins = s.Warnings, s.Waits, s.Spins
	r.transitions.Store(s.Transitions)
	p = &searchState{lookAt: s.LookAt, inside: s.Inside}
	if _, err := c.readHead(func(b *batch) error {
		switch b.Table {
		case edgesTable:
			for _, e := range b.Words {
				r.edges.add(e)
			}
		case laterTable:
			p.later[b.Model] = append(p.later[b.Model], b.Words...)
		}
		return nil
	}); err != nil {
		return p, err
	}
	last, err := c.readLog(r, s)
	if err != nil {
		return p, err
	}
	if len(last) < s.Rest+s.Next {
		return p, damaged(s.Log, io.ErrUnexpectedEOF)
	}
	p.next = last[len(last)-s.Next:]
	p.rest = last[len(last)-s.Next-s.Rest : len(last)-s.Next]
	return p, nil
}

// readLog restores the tables. It returns the last states.
func (c *Checkpoint) readLog(r *run, s *savedRun) (last []uint64, err error) {
	name := filepath.Join(c.Dir, s.Log)
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, damaged(name, err)
	}
	sum := checksum(0)
	end := s.Segments[len(s.Segments)-1]
	if n, err := io.Copy(&sum, io.NewSectionReader(f, 0, end)); err != nil || n < end || sum != s.Sum {
		f.Close()
		return nil, damaged(name, errors.Join(err, errors.New("its length or checksum is wrong")))
	}
	from := int64(0)
	for _, to := range s.Segments {
		dec := gob.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(f, from, to-from), 1<<16))
		err := decodeAll(dec, name, func(b *batch) error {
			if b.Table == statesTable {
				if len(last) > 2*(s.Rest+s.Next)+maxBatch { // only the end matters
					last = append(last[:0], last[len(last)-s.Rest-s.Next:]...)
				}
				last = append(last, b.Words...)
			}
			return c.restoreBatch(r, b)
		})
		if err != nil {
			f.Close()
			return nil, err
		}
		from = to
	}
	c.log, c.sum = f, s.Sum
	for table, t := range r.chunkTables() {
		for i := range t.shards {
			c.logged[table][i] = t.shards[i].n
		}
	}
	for i := range r.pairs.shards {
		c.logged[pairsTable][i] = r.pairs.shards[i].n
	}
	return last, nil
}

// restoreBatch adds a batch of the log to its table. As the entries of each shard come in the order of their numbers, they get the same ones.
func (c *Checkpoint) restoreBatch(r *run, b *batch) error {
	switch b.Table {
	case statesTable:
		for _, s := range b.Words {
			r.visited.add(s)
		}
	case pairsTable:
		for _, p := range b.Words {
			if _, ok := r.pairs.intern(p); !ok {
				return errors.New("too many pairs")
			}
		}
	default:
		t := r.chunkTables()[b.Table]
		for i, words := range b.Chunks {
			t.intern(words, func() *local {
				switch {
				case b.Table == localTable:
					return r.restoredLocal(&b.Locals[i])
				case b.Table == frameTable && b.Blocks[i]:
					return blockingFrame
				}
				return nil
			})
		}
	}
	return nil
}

func (r *run) restoredLocal(s *savedLocal) *local {
	l := &local{
		act: s.Act, pos: s.Pos, thread: s.Thread, lineage: lineage{s.Creates, s.Joins}, loads: s.Loads, waits: s.Waits, lock: s.Lock, whole: s.Whole,
		pastDeferred: s.Past, joined: s.IsJoined, missing: s.Missing, outcomes: s.Outcomes, issue: s.Issue,
	}
	if s.Future >= 0 {
		l.future = r.futures.list[s.Future]
	}
	if a, ok := l.touches(); ok {
		l.footprint = r.footprintOf(a)
	}
	return l
}

func (s *savedFound) found() *found {
	err := s.Err
	f := &found{fault: fault{&err, s.Pos, s.Thread, nil}, level: s.Level, loc: s.Loc}
	for _, a := range s.Abouts {
		f.abouts = append(f.abouts, about{a.Base, a.What})
	}
	if s.Lasso {
		f.lasso = &lasso{s.State, restoredMoves(s.Stem, s.HasStem), restoredMoves(s.Cycle, true)}
	}
	return f
}

func restoredMoves(list []savedMove, some bool) []move {
	if !some {
		return nil
	}
	moves := []move{}
	for _, m := range list {
		moves = append(moves, move{m.Thread, m.Kind, m.Arg})
	}
	return moves
}
