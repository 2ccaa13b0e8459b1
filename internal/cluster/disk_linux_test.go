package cluster

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk has a run whose disk becomes full: it ends and says so. When there is room, it goes on, and the total is right.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a small disk can't be mounted (only root can): %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	p, opts := writers(t)
	kept, filler := filepath.Join(dir, "run"), filepath.Join(dir, "filler")
	config := func() *ClientConfig {
		return &ClientConfig{Build: "b", Model: Model{Name: "rc11"}, First: -1, Log: quiet}
	}
	k, err := OpenCheckpoint(kept, true, quiet)
	if err != nil {
		t.Fatal(err)
	}
	c := config()
	c.Log = slog.New(onSubmit{slog.DiscardHandler, func() {
		fill(t, filler)
		a := k.Access()
		s, err := a.open(t.Context(), "test", quiet)
		if err != nil {
			t.Error(err)
			return
		}
		defer s.close()
		if _, err := s.publish(t.Context(), "rv.done.large.1.large", make([]byte, 1<<14)); err == nil { // a small one may fit into the last block of a file
			t.Error("a message is stored on a full disk")
		}
	}})
	res, err := k.RunHere(t.Context(), c, 1, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(res.GaveUp, syscall.ENOSPC.Error()) || !strings.Contains(res.GaveUp, kept) || c.Kept() == "" {
		t.Errorf("gave up: %q, kept: %q", res.GaveUp, c.Kept())
	}
	c.End()
	k.Close()

	// There is no room for another run.
	other, err := OpenCheckpoint(filepath.Join(dir, "other"), true, quiet)
	if err == nil {
		_, err = other.RunHere(t.Context(), config(), 1, p, opts)
		other.Close()
	}
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("a run on a full disk: %v", err)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if k, err = OpenCheckpoint(kept, false, quiet); err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	c = config()
	p, opts = writers(t) // as it was before it was compiled
	if res, err = k.RunHere(t.Context(), c, 1, p, opts); err != nil {
		t.Fatal(err)
	}
	c.End()
	if res.GaveUp != "" || res.Complete != executions {
		t.Errorf("%d executions, gave up: %q; want %d", res.Complete, res.GaveUp, executions)
	}
}

// onSubmit is a log that calls do when a job is submitted, before anything of it is explored by a worker.
type onSubmit struct {
	slog.Handler
	do func()
}

func (onSubmit) Enabled(context.Context, slog.Level) bool { return true }

func (o onSubmit) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "a job is submitted" {
		o.do()
	}
	return nil
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("fill: %v", err)
	}
}
