package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ravel/internal/explore"
	"ravel/internal/ir"
)

// RunHere is Run with a checkpoint of this machine: this process is server, worker and client. There is a server only if the search is not small.
func (k *Checkpoint) RunHere(ctx context.Context, c *ClientConfig, slots int, p *ir.Program, opts explore.Options) (*explore.Result, error) {
	c.here = true
	told := c.OnStatus
	c.OnStatus = func(s Status) {
		writeStatus(k.Dir, &s)
		if told != nil {
			told(s)
		}
	}
	f, err := c.follower(p, opts)
	if err != nil {
		return nil, err
	}
	var x *first
	if k.isNew {
		due, cancel := context.WithCancel(ctx)
		defer cancel()
		started := make(chan error, 1)
		timer := time.AfterFunc(cmp.Or(c.First, firstTime), func() {
			defer cancel()
			started <- k.start(c.Log)
		})
		if c.First < 0 {
			cancel()
		}
		var res *explore.Result
		if res, x, err = f.explore(ctx, due); x == nil {
			if !timer.Stop() {
				<-started
			}
			return res, err
		}
		if err := <-started; err != nil {
			return nil, err
		}
	}
	c.Access = k.Access()
	if err := f.connect(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Dir, err)
	}
	leave, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s, err := c.Access.open(leave, "worker", c.Log)
	if err != nil {
		return nil, err
	}
	left := make(chan error, 1)
	go func() {
		defer s.close()
		left <- work(leave, WorkerConfig{Build: c.Build, Version: c.Version, Slots: slots, Log: c.Log, Metrics: c.Metrics, lost: k.server.fail}, s)
	}()
	var res *explore.Result
	if x != nil {
		err = f.submit(ctx, x)
	} else if _, err = f.attach(ctx); err == nil && f.job.ID == "" {
		err = fmt.Errorf("%s: the run is not there any more", k.Dir)
	}
	if err == nil {
		res, err = f.follow(ctx)
	}
	cancel()
	why := <-left // what it explores is recorded
	if s.life.Err() != nil && res != nil {
		why = nil // the result has it
	}
	return res, errors.Join(err, why)
}

// statusFile has the progress of a run: its server cannot be asked from outside.
const statusFile = "status.json"

// writeStatus replaces the status file.
func writeStatus(dir string, s *Status) {
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	name := filepath.Join(dir, statusFile)
	if err := os.WriteFile(name+".new", append(data, '\n'), 0o644); err == nil {
		_ = os.Rename(name+".new", name)
	}
}

// Saved returns the job of the checkpoint and its program. It must be of this build.
func (k *Checkpoint) Saved(ctx context.Context, c *ClientConfig) (*Job, []byte, error) {
	a := k.Access()
	s, err := a.open(ctx, "ravel", c.Log)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	jobs, err := s.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(jobs) > 0 {
		j := jobs[0]
		switch {
		case j.State == ended:
			return nil, nil, fmt.Errorf("%s: the run has ended, and its result was told", k.Dir)
		case j.Build != c.Build:
			return nil, nil, fmt.Errorf("%s: the run was begun by another version of ravel (%s, and this is %s): only that one can go on with it", k.Dir, j.Build, c.Build)
		}
		data, err := s.programs.GetBytes(ctx, j.Program)
		return j, data, err
	}
	return nil, nil, fmt.Errorf("%s: there is nothing to go on with: the run ended, or was killed, before it kept anything; --checkpoint begins again", k.Dir)
}

// list returns the jobs of the server.
func (s *store) list(ctx context.Context) (jobs []*Job, err error) {
	keys, err := s.jobs.ListKeysFiltered(ctx, "job.>")
	if err != nil {
		return nil, err
	}
	for key := range keys.Keys() {
		j := &Job{}
		if j.revision, err = s.get(ctx, key, j); errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// forget removes a job of list that has ended, unless it was submitted anew meanwhile.
func (s *store) forget(ctx context.Context, j *Job) error {
	return s.jobs.Purge(ctx, "job."+j.key(), jetstream.LastRevision(j.revision))
}

// StatusOf returns how far the run in a folder is, and whether its process lives.
func StatusOf(dir string) (*Status, bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, statusFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, fmt.Errorf("%s: there is no run, or it has just begun", dir)
	}
	if err != nil {
		return nil, false, err
	}
	s := &Status{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, false, fmt.Errorf("%s: %w", filepath.Join(dir, statusFile), err)
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err == nil {
		lock.Close()
	}
	return s, err != nil, nil
}

// Jobs returns how far the jobs of a server are.
func Jobs(ctx context.Context, a Access, c *ClientConfig) ([]Status, error) {
	s, err := a.open(ctx, "ravel status", c.Log)
	if err != nil {
		return nil, err
	}
	defer s.close()
	jobs, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	var list []Status
	for _, j := range jobs {
		if j.State == ended {
			continue
		}
		st := Status{Job: j.ID, Name: j.Name, Model: j.Model.Name, Created: j.Created}
		if _, err := s.get(ctx, "status."+j.ID, &st); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, err
		}
		age := time.Since(j.Created)
		if st.State = j.State; st.State == running && age.Seconds()-st.Seconds > 30 { // the client tells more often
			st.State = alone
		}
		st.Seconds = age.Seconds()
		list = append(list, st)
	}
	return list, nil
}

// Remove ends a job and removes what it has on the server.
func Remove(ctx context.Context, a Access, c *ClientConfig, id string) error {
	s, err := a.open(ctx, "ravel cluster remove", c.Log)
	if err != nil {
		return err
	}
	defer s.close()
	key, _, _ := strings.Cut(id, "-")
	f := &follower{ClientConfig: c, store: s}
	if f.revision, err = f.get(ctx, "job."+key, &f.job); errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && f.job.ID != id {
		return fmt.Errorf("no job %s: ravel status lists them", id)
	} else if err != nil {
		return err
	}
	if err := f.setState(ctx, ended); err != nil {
		return err
	}
	c.Build = f.job.Build
	f.remove(ctx)
	return nil
}
