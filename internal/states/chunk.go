package states

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The tables below share one scheme. They are split into shards by hash. A reader probes the
// shard's index without a lock; what it does not find it looks for again under the shard's lock, and
// adds. An index that is full is replaced by a larger copy, and readers of the old one just take
// the slow path. Hashes have 64 bits, and a hit is always confirmed by comparing the whole key, so the tables are exact.

const (
	shardBits = 6
	shards    = 1 << shardBits
	maxLocal  = 1<<(32-shardBits) - 1 // numbers within a shard
)

// A list is a growing array that may be read while it grows: its elements never move.
// It begins small and has segments of equal size.
type list[T any] struct {
	dir atomic.Pointer[[]*[segSize]T]
}

const (
	segBits = 7
	segSize = 1 << segBits
)

func (l *list[T]) at(i uint32) *T { return &(*l.dir.Load())[i>>segBits][i&(segSize-1)] }

// full reports whether there is no room for element i yet.
func (l *list[T]) full(i uint32) bool {
	d := l.dir.Load()
	return d == nil || int(i>>segBits) >= len(*d)
}

// extend adds a segment, one writer at a time.
func (l *list[T]) extend(seg *[segSize]T) {
	var dir []*[segSize]T
	if d := l.dir.Load(); d != nil {
		dir = *d
	}
	if len(dir) == cap(dir) {
		dir = slices.Grow(slices.Clone(dir), len(dir)+1)
	}
	dir = append(dir, seg)
	l.dir.Store(&dir)
}

// mix is the finaliser of a 64-bit hash.
func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

func hashWords(words []uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h ^ w)
	}
	return h
}

// A chunk is an interned sequence of words: a thread, a frame, a page of memory or a buffer.
type chunk struct {
	words []uint64
	local *local // of a thread: what it does next
}

// A chunkTable gives sequences of words numbers, from 1. The number 0 is for nothing.
type chunkTable struct {
	bytes  atomic.Int64
	shards [shards]chunkShard
}

type chunkShard struct {
	mu    sync.Mutex
	index atomic.Pointer[[]uint64] // hash:32 local number:32, 0 is free
	n     uint32
	list  list[chunk]
	_     [64]byte
}

func (t *chunkTable) at(id uint32) *chunk {
	return t.shards[id&(shards-1)].list.at(id >> shardBits)
}

func (t *chunkTable) words(id uint32) []uint64 { return t.at(id).words }

// find looks for words in an index.
func (s *chunkShard) find(index []uint64, hash uint64, words []uint64) (local uint32) {
	mask := uint64(len(index) - 1)
	for i := hash >> shardBits & mask; ; i = (i + 1) & mask {
		e := atomic.LoadUint64(&index[i])
		if e == 0 {
			return 0
		}
		if e>>32 == hash>>32 {
			n := uint32(e)
			if slices.Equal(s.list.at(n).words, words) {
				return n
			}
		}
	}
}

// intern returns the number of words. If they are new, make is asked for what belongs to them.
func (t *chunkTable) intern(words []uint64, make func() *local) (id uint32) {
	hash := hashWords(words)
	shard := uint32(hash & (shards - 1))
	s := &t.shards[shard]
	if index := s.index.Load(); index != nil {
		if n := s.find(*index, hash, words); n != 0 {
			return n<<shardBits | shard
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	index := s.index.Load()
	if index != nil {
		if n := s.find(*index, hash, words); n != 0 {
			return n<<shardBits | shard
		}
	}
	if index == nil || int(s.n+2)*4 > len(*index)*3 {
		index = s.grow(index)
	}
	s.n++
	n := s.n
	if s.list.full(n) {
		s.list.extend(new([segSize]chunk))
	}
	c := s.list.at(n)
	c.words = slices.Clone(words)
	t.bytes.Add(int64(len(words)*8 + 40))
	if make != nil {
		if c.local = make(); c.local != nil {
			t.bytes.Add(localBytes)
		}
	}
	place(*index, hash, hash>>32<<32|uint64(n))
	return n<<shardBits | shard
}

func place(index []uint64, hash, entry uint64) {
	mask := uint64(len(index) - 1)
	i := hash >> shardBits & mask
	for index[i] != 0 {
		i = (i + 1) & mask
	}
	atomic.StoreUint64(&index[i], entry)
}

func (s *chunkShard) grow(old *[]uint64) *[]uint64 {
	n := 16
	if old != nil {
		n = 2 * len(*old)
	}
	index := make([]uint64, n)
	for k := uint32(1); k <= s.n; k++ {
		hash := hashWords(s.list.at(k).words)
		place(index, hash, hash>>32<<32|uint64(k))
	}
	s.index.Store(&index)
	return &index
}

// count returns how many chunks there are.
// eachLocal yields what threads do next, of all chunks of threads. No worker may run.
func (t *chunkTable) eachLocal(yield func(*local) bool) {
	for i := range t.shards {
		s := &t.shards[i]
		for n := range s.n {
			if l := s.list.at(n + 1).local; l != nil && !yield(l) {
				return
			}
		}
	}
}

func (t *chunkTable) count() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += int(s.n)
		s.mu.Unlock()
	}
	return n
}

// A pairTable gives pairs of numbers a number, from 1: the inner nodes of the trees that states are (vector.go).
type pairTable struct {
	spill  *spill
	bytes  atomic.Int64
	shards [shards]pairShard
}

type pairShard struct {
	mu    sync.Mutex
	index atomic.Pointer[[]uint32] // local numbers, 0 is free
	n     uint32
	list  list[uint64]
	_     [64]byte
}

func (t *pairTable) at(id uint32) uint64 {
	return *t.shards[id&(shards-1)].list.at(id >> shardBits)
}

func (s *pairShard) find(index []uint32, hash, pair uint64) uint32 {
	mask := uint64(len(index) - 1)
	for i := hash >> shardBits & mask; ; i = (i + 1) & mask {
		n := atomic.LoadUint32(&index[i])
		if n == 0 || *s.list.at(n) == pair {
			return n
		}
	}
}

// intern returns the number of a pair; ok is false if the table is full.
func (t *pairTable) intern(pair uint64) (id uint32, ok bool) {
	hash := mix(pair)
	shard := uint32(hash & (shards - 1))
	s := &t.shards[shard]
	if index := s.index.Load(); index != nil {
		if n := s.find(*index, hash, pair); n != 0 {
			return n<<shardBits | shard, true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	index := s.index.Load()
	if index != nil {
		if n := s.find(*index, hash, pair); n != 0 {
			return n<<shardBits | shard, true
		}
	}
	if s.n+1 >= maxLocal {
		return 0, false
	}
	if index == nil || int(s.n+2)*4 > len(*index)*3 {
		index = t.grow(s, index)
	}
	s.n++
	n := s.n
	if s.list.full(n) {
		s.list.extend(t.spill.segment())
		t.bytes.Add(segSize * 8)
	}
	*s.list.at(n) = pair
	placePair(*index, hash, n)
	return n<<shardBits | shard, true
}

func placePair(index []uint32, hash uint64, n uint32) {
	mask := uint64(len(index) - 1)
	i := hash >> shardBits & mask
	for index[i] != 0 {
		i = (i + 1) & mask
	}
	atomic.StoreUint32(&index[i], n)
}

func (t *pairTable) grow(s *pairShard, old *[]uint32) *[]uint32 {
	n := 16
	if old != nil {
		n = 2 * len(*old)
		t.bytes.Add(int64(-4 * len(*old)))
	}
	t.bytes.Add(int64(4 * n))
	index := t.spill.numbers(n)
	for k := uint32(1); k <= s.n; k++ {
		placePair(index, mix(*s.list.at(k)), k)
	}
	s.index.Store(&index)
	if old != nil {
		t.spill.retire(unsafe.Pointer(&(*old)[0]))
	}
	return &index
}

func (t *pairTable) count() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += int(s.n)
		s.mu.Unlock()
	}
	return n
}

// A set of states: each is the pair at the root of its tree, which is never 0.
type set struct {
	spill  *spill
	bytes  atomic.Int64
	count  atomic.Int64
	shards [shards]setShard
}

type setShard struct {
	mu    sync.Mutex
	table atomic.Pointer[[]uint64]
	n     int
	_     [64]byte
}

// start returns where to look for a state: tables have any length, so that they can grow by less than twice.
func start(hash uint64, n int) int {
	hi, _ := bits.Mul64(hash<<shardBits, uint64(n))
	return int(hi)
}

func findState(table []uint64, hash, state uint64) bool {
	for i := start(hash, len(table)); ; {
		e := atomic.LoadUint64(&table[i])
		if e == state {
			return true
		}
		if e == 0 {
			return false
		}
		if i++; i == len(table) {
			i = 0
		}
	}
}

// touch reads where state would be: to do that for several first, and then to add them, has their cache misses overlap.
func (t *set) touch(state uint64) {
	hash := mix(state)
	if table := t.shards[hash>>(64-shardBits)].table.Load(); table != nil {
		atomic.LoadUint64(&(*table)[start(hash, len(*table))])
	}
}

func (t *set) has(state uint64) bool {
	hash := mix(state)
	table := t.shards[hash>>(64-shardBits)].table.Load()
	return table != nil && findState(*table, hash, state)
}

// each calls f for every member, until it returns false. Nothing must be added meanwhile.
func (t *set) each(f func(uint64) bool) {
	for i := range t.shards {
		table := t.shards[i].table.Load()
		if table == nil {
			continue
		}
		for _, e := range *table {
			if e != 0 && !f(e) {
				return
			}
		}
	}
}

// add adds a state and reports whether it is new.
func (t *set) add(state uint64) bool {
	hash := mix(state)
	s := &t.shards[hash>>(64-shardBits)]
	table := s.table.Load()
	if table != nil && findState(*table, hash, state) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	table = s.table.Load()
	if table != nil && findState(*table, hash, state) {
		return false
	}
	if table == nil || (s.n+2)*16 > len(*table)*14 {
		table = t.grow(s, table)
	}
	placeState(*table, hash, state)
	s.n++
	t.count.Add(1)
	return true
}

func placeState(table []uint64, hash, state uint64) {
	i := start(hash, len(table))
	for table[i] != 0 {
		if i++; i == len(table) {
			i = 0
		}
	}
	atomic.StoreUint64(&table[i], state)
}

func (t *set) grow(s *setShard, old *[]uint64) *[]uint64 {
	n := 32
	if old != nil {
		n = len(*old)*9/8 + 1
		t.bytes.Add(int64(-8 * len(*old)))
	}
	t.bytes.Add(int64(8 * n))
	table := t.spill.words(n)
	if old != nil {
		for _, e := range *old {
			if e != 0 {
				placeState(table, mix(e), e)
			}
		}
	}
	s.table.Store(&table)
	if old != nil {
		t.spill.retire(unsafe.Pointer(&(*old)[0]))
	}
	return &table
}
