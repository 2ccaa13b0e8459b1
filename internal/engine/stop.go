package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A timeout is why a context of WithTimeout is done.
type timeout time.Duration

func (t timeout) Error() string { return fmt.Sprintf("stopped after %v (--timeout)", time.Duration(t)) }

// WithTimeout returns a context that is done when ctx is, or after d if that is not 0. Why tells which.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, timeout(d))
}

// Why returns why ctx is done, as a reason to give up.
func Why(ctx context.Context) string {
	var t timeout
	if errors.As(context.Cause(ctx), &t) {
		return t.Error()
	}
	return "interrupted"
}

// A Stop tells workers to stop, and knows why.
type Stop struct {
	atomic.Bool // set when workers have to stop, for whatever reason

	mu  sync.Mutex
	why string
}

// GiveUp stops an exploration that is not complete. The first reason counts.
func (s *Stop) GiveUp(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" {
		s.why = why
	}
	s.Store(true)
}

// GaveUp returns the reason of GiveUp, "" if it was not called.
func (s *Stop) GaveUp() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// RanOut reports whether the reason for giving up is that time or memory ran out, or that the user had enough.
func RanOut(why string) bool { return strings.HasPrefix(why, "stopped ") || why == "interrupted" }

// Follow gives up when ctx is done, until the function that it returns has returned.
func (s *Stop) Follow(ctx context.Context) (end func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.GiveUp(Why(ctx))
		close(done)
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}
