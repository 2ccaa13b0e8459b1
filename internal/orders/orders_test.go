package orders

import (
	"strings"
	"testing"

	"ravel/internal/report"
)

// TestEdits edits one line; ^ marks where the compiler says that the access is.
func TestEdits(t *testing.T) {
	const up, fail, load, store, fence = report.UpdateAccess, report.FailureAccess, report.LoadAccess, report.StoreAccess, report.FenceAccess
	change := func(a report.Access, from, to string) report.Change {
		return report.Change{Access: a, From: from, To: to}
	}
	for _, test := range []struct {
		source  string
		changes []report.Change
		want    string // "" for none
	}{
		{"^atomic_store_explicit(&x, f(1, 2), memory_order_relaxed);", []report.Change{change(store, "relaxed", "release")}, "atomic_store_explicit(&x, f(1, 2), memory_order_release);"},
		{"^atomic_store_explicit(&x, 1, memory_order_relaxed);", []report.Change{change(store, "seq_cst", "release")}, ""}, // the text is not what was checked
		{"^__atomic_store_n(&x, 1, __ATOMIC_RELAXED);", []report.Change{change(store, "relaxed", "release")}, "__atomic_store_n(&x, 1, __ATOMIC_RELEASE);"},
		{"q.^store(1, std::memory_order_seq_cst /* why, \"why\" */);", []report.Change{change(store, "seq_cst", "relaxed")}, "q.store(1, std::memory_order_relaxed /* why, \"why\" */);"},
		{"q.^store(',', std::memory_order::seq_cst);", []report.Change{change(store, "seq_cst", "release")}, "q.store(',', std::memory_order::release);"},
		{"q.^store(1, Ordering::SeqCst);", []report.Change{change(store, "seq_cst", "release")}, "q.store(1, Ordering::Release);"},
		{"q.^swap(f::<'a>(1), SeqCst)", []report.Change{change(up, "seq_cst", "acq_rel")}, "q.swap(f::<'a>(1), AcqRel)"},
		{"q.^load()", []report.Change{change(load, "seq_cst", "acquire")}, "q.load(std::memory_order_acquire)"},
		{"q.^store(1)", []report.Change{change(store, "seq_cst", "release")}, "q.store(1, std::memory_order_release)"},
		{"q.^push(1)", []report.Change{change(store, "seq_cst", "release")}, ""},
		{"^atomic_load(&x) + 1", []report.Change{change(load, "seq_cst", "acquire")}, "atomic_load_explicit(&x, memory_order_acquire) + 1"},
		{"^std::atomic_load(&x)", []report.Change{change(load, "seq_cst", "acquire")}, "std::atomic_load_explicit(&x, std::memory_order_acquire)"},
		{"^x = 1;", []report.Change{change(store, "seq_cst", "release")}, ""},
		{"x^++;", []report.Change{change(up, "seq_cst", "relaxed")}, ""},
		{"^atomic_compare_exchange_weak(&x, &e, 1)", []report.Change{change(up, "seq_cst", "acquire")}, "atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_acquire, memory_order_seq_cst)"},
		{"^atomic_compare_exchange_weak(&x, &e, 1)", []report.Change{change(up, "seq_cst", "acquire"), change(fail, "seq_cst", "relaxed")}, "atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_acquire, memory_order_relaxed)"},
		{"x.^compare_exchange(0, 1, AcqRel, Acquire)", []report.Change{change(up, "acq_rel", "release"), change(fail, "acquire", "relaxed")}, "x.compare_exchange(0, 1, Release, Relaxed)"},
		{"x.^compare_exchange_weak(e, 1, std::memory_order_acq_rel)", []report.Change{change(fail, "acquire", "relaxed")}, ""}, // follows from the other
		{"^set(1, memory_order_relaxed)", []report.Change{{Access: store, Argument: 2, From: "relaxed", To: "release"}}, "set(1, memory_order_release)"},
		{"^set(1)", []report.Change{{Access: store, Argument: 2, From: "relaxed", To: "release"}}, ""},
		{"^set(1, order)", []report.Change{{Access: store, Argument: 2, From: report.VariousOrders, To: "release"}}, ""},
		{"f();\n  ^atomic_thread_fence(memory_order_seq_cst);\ng();", []report.Change{change(fence, "seq_cst", "relaxed")}, "f();\ng();"},
		{"f(); ^std::atomic_thread_fence(std::memory_order_seq_cst); g();", []report.Change{change(fence, "seq_cst", "relaxed")}, "f();  g();"},
		{"if (a) ^atomic_thread_fence(memory_order_seq_cst); g();", []report.Change{change(fence, "seq_cst", "relaxed")}, "if (a) atomic_thread_fence(memory_order_relaxed); g();"},
		{"^atomic_thread_fence(memory_order_seq_cst);", []report.Change{change(fence, "seq_cst", "acquire")}, "atomic_thread_fence(memory_order_acquire);"},
		{"^atomic_store_explicit(&x, 1, memory_order_relaxed", []report.Change{change(store, "relaxed", "release")}, ""},
		{"^", []report.Change{change(store, "relaxed", "release")}, ""},
	} {
		at := strings.IndexByte(test.source, '^')
		source := test.source[:at] + test.source[at+1:]
		for i := range test.changes {
			line := source[:at]
			test.changes[i].Location = report.Location{Line: 1 + strings.Count(line, "\n"), Column: at - strings.LastIndexByte(line, '\n')}
		}
		edits, left := Edits(source, test.changes)
		got := Apply(source, edits)
		switch {
		case test.want == "" && (len(edits) > 0 || len(left) != len(test.changes)):
			t.Errorf("%s became %s", test.source, got)
		case test.want != "" && got != test.want:
			t.Errorf("%s became %s, want %s", test.source, got, test.want)
		}
	}
}
