package report

import "testing"

// TestEdit: the text that a suggestion replaces is the order as the source spells it, in C, C++ and Rust.
func TestEdit(t *testing.T) {
	for _, c := range []struct {
		line           string
		column         int
		access         Access
		from, to, want string // want "": no edit
	}{
		{"    atomic_store_explicit(&q.tail, t + 1, memory_order_relaxed);", 5, StoreAccess, "relaxed", "release", "    atomic_store_explicit(&q.tail, t + 1, memory_order_release);"},
		{"  x.store(1, std::memory_order_relaxed); y.store(1, std::memory_order_relaxed);", 5, StoreAccess, "relaxed", "release", "  x.store(1, std::memory_order_release); y.store(1, std::memory_order_relaxed);"},
		{"  x.load(std::memory_order::seq_cst)", 5, LoadAccess, "seq_cst", "acquire", "  x.load(std::memory_order::acquire)"},
		{"    FLAG.store(true, Ordering::Relaxed);", 10, StoreAccess, "relaxed", "release", "    FLAG.store(true, Ordering::Release);"},
		{"    L.compare_exchange(0, 1, Ordering::AcqRel, Relaxed)", 7, UpdateAccess, "acq_rel", "seq_cst", "    L.compare_exchange(0, 1, Ordering::SeqCst, Relaxed)"},
		{"    L.compare_exchange(0, 1, Relaxed, Relaxed)", 7, FailureAccess, "relaxed", "acquire", "    L.compare_exchange(0, 1, Relaxed, Acquire)"},
		{"    L.compare_exchange(0, 1, Relaxed, Relaxed)", 7, UpdateAccess, "relaxed", "acquire", "    L.compare_exchange(0, 1, Acquire, Relaxed)"},
		{"    x.store(1);", 7, StoreAccess, "seq_cst", "release", ""},
		{"    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);", 5, StoreAccess, "relaxed", "seq_cst", "    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);"},
	} {
		e, ok := Change{Location: Location{Line: 1, Column: c.column}, Access: c.access, From: c.from, To: c.to}.Edit(c.line)
		got := ""
		if ok {
			got = c.line[:e.Column-1] + e.Text + c.line[e.End-1:]
		}
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.line, got, c.want)
		}
	}
}
