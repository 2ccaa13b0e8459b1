package engine

// A ThreadKey names a thread independently of the order of exploration: it is the Nth that thread Parent creates.
type ThreadKey struct {
	Parent int32
	Nth    int
}

// Threads numbers the threads of a program. The first thread is 0, thread i+1 is Keys[i].
type Threads struct {
	Keys    []ThreadKey
	numbers map[ThreadKey]int32
}

// Number returns the number of the nth thread that parent creates, and whether it had one before.
func (t *Threads) Number(parent int32, nth int) (n int32, known bool) {
	if t.numbers == nil {
		t.numbers = map[ThreadKey]int32{}
		for i, k := range t.Keys {
			t.numbers[k] = int32(i) + 1
		}
	}
	k := ThreadKey{parent, nth}
	n, known = t.numbers[k]
	if !known {
		t.Keys = append(t.Keys, k)
		n = int32(len(t.Keys))
		t.numbers[k] = n
	}
	return n, known
}

// Parents returns, for the first n threads, which thread creates each.
func (t *Threads) Parents(n int) []int32 {
	parents := make([]int32, n)
	for i, k := range t.Keys {
		if i+1 < n {
			parents[i+1] = k.Parent
		}
	}
	return parents
}
