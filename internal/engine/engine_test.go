package engine

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"
)

// A Stop follows a context, and says whether time is over or the user has interrupted. The first reason counts.
func TestStop(t *testing.T) {
	wait := func(s *Stop) string {
		for !s.Load() {
			time.Sleep(time.Millisecond)
		}
		return s.GaveUp()
	}
	ctx, cancel := WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	var late Stop
	defer late.Follow(ctx)()
	if got, want := wait(&late), "stopped after 1ms (--timeout)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	parent, interrupt := context.WithCancel(t.Context())
	ctx, cancel = WithTimeout(parent, time.Hour)
	defer cancel()
	var s Stop
	defer s.Follow(ctx)()
	interrupt()
	if got := wait(&s); got != "interrupted" {
		t.Errorf("%q", got)
	}
	s.GiveUp("another reason")
	if got := s.GaveUp(); got != "interrupted" {
		t.Errorf("%q: the first reason counts", got)
	}
}

// Threads get numbers in the order in which they are met, and keep them.
func TestThreads(t *testing.T) {
	var threads Threads
	for _, test := range []struct {
		parent int32
		nth    int
		want   int32
	}{{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {0, 1, 2}, {1, 0, 3}} {
		if got, _ := threads.Number(test.parent, test.nth); got != test.want {
			t.Errorf("thread %d of %d has number %d, want %d", test.nth, test.parent, got, test.want)
		}
	}
	if got := threads.Parents(4); len(threads.Keys) != 3 || !slices.Equal(got, []int32{0, 0, 0, 1}) {
		t.Errorf("%d threads, created by %v", len(threads.Keys), got)
	}
	again := Threads{Keys: threads.Keys}
	if n, known := again.Number(1, 0); n != 3 || !known {
		t.Errorf("the keys give number %d, known %v", n, known)
	}
}

// After the end of Follow nothing stops the exploration any more, even if the context was done a moment before.
func TestFollow(t *testing.T) {
	for range 2000 {
		ctx, cancel := context.WithCancelCause(context.Background())
		var s Stop
		end := s.Follow(ctx)
		cancel(nil)
		end()
		s.Store(false)
		runtime.Gosched()
		if s.Load() {
			t.Fatal("stopped after the end")
		}
	}
	var s Stop
	end := s.Follow(context.Background())
	end()
}
