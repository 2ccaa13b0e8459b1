package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"ravel/internal/cat"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
)

// A Spec says what to check. Equal specs are the same check.
type Spec struct {
	Build   string // the version of ravel that has to explore it
	Program string // SHA-256 of the serialised program
	Model   Model
	Options Options
	Limits  Limits
}

// A Model says how to make a memory model.
type Model struct {
	Name     string
	Files    map[string]string `json:",omitempty"` // of a model in cat that is not a part of ravel: its text, by name
	Raw      bool              `json:",omitempty"`
	Checker  string            `json:",omitempty"`
	Variants []string          `json:",omitempty"`
}

// Options are those of explore.Options that change what is found.
type Options struct {
	Unroll, MaxEvents                                                             int
	SpinAssume, Overflow, Relaxed, NoWakeups                                      bool
	RaceCheck, MemoryCheck, Liveness, NoSpuriousCAS, LeakCheck, NoReuse, Symmetry bool
	Twins, Observed, KeepGoing                                                    bool
	Hunt                                                                          time.Duration
	Seed                                                                          uint64
}

// Limits bound what a job may take of a worker.
type Limits struct {
	MaxMemory int64 // of the process, in bytes; 0 is the worker's own limit
	Slots     int   // items that one worker explores at a time; 0 is all that it has
}

// A Job is a check on a server.
type Job struct {
	Spec
	ID      string // in subjects: another one each time the job is submitted anew
	Created time.Time
	State   string          // running, paused or ended
	Ended   time.Time       `json:",omitzero"`
	Name    string          // for people
	Client  json.RawMessage `json:",omitempty"` // what the client needs to go on

	revision uint64 // of list
}

// States of a job.
const (
	running = "running"
	paused  = "paused" // no client follows it, and workers leave it alone
	ended   = "ended"

	alone = "running without a client" // of a Status only
)

// optionsOf returns what o says.
func optionsOf(o *explore.Options) Options {
	return Options{
		Unroll: o.Machine.Unroll, MaxEvents: o.MaxEvents, SpinAssume: o.Machine.SpinAssume, Overflow: o.Machine.Overflow, Relaxed: o.Machine.Relaxed, NoWakeups: o.Machine.NoWakeups,
		RaceCheck: o.RaceCheck, MemoryCheck: o.MemoryCheck, Liveness: o.Liveness, NoSpuriousCAS: o.NoSpuriousCAS, LeakCheck: o.LeakCheck,
		NoReuse: o.NoReuse, Symmetry: o.Symmetry, Twins: o.Twins, Observed: o.Observed, KeepGoing: o.KeepGoing, Hunt: o.Hunt, Seed: o.Seed,
	}
}

// explore returns the options of the engine. Those that are about a process are not set.
func (s *Spec) explore() (explore.Options, error) {
	o := &s.Options
	e := explore.Options{Twins: o.Twins, Observed: o.Observed, MaxEvents: o.MaxEvents, Hunt: o.Hunt, Seed: o.Seed}
	e.Options = engine.Options{
		Machine:   machine.Options{Unroll: o.Unroll, SpinAssume: o.SpinAssume, Overflow: o.Overflow, Relaxed: o.Relaxed, NoWakeups: o.NoWakeups},
		RaceCheck: o.RaceCheck, MemoryCheck: o.MemoryCheck, Liveness: o.Liveness, NoSpuriousCAS: o.NoSpuriousCAS, LeakCheck: o.LeakCheck,
		NoReuse: o.NoReuse, Symmetry: o.Symmetry, KeepGoing: o.KeepGoing, Workers: 1,
	}
	var err error
	if e.Model, err = s.Model.make(); err == nil {
		xmm.Use(&e, nil)
	}
	return e, err
}

// make makes the model.
func (m *Model) make() (model.Model, error) {
	name := m.Name
	if len(m.Files) > 0 {
		dir, free := cat.Memory(m.Files)
		defer free()
		name = filepath.Join(dir, filepath.Base(name))
	}
	return memmodel.Checker(name, model.Options{Raw: m.Raw, Checker: m.Checker, Variants: m.Variants})
}

// Collect reads the files of a model in cat that is on the disk, so that a worker need not have them.
func (m *Model) Collect() error {
	if !catmodel.IsFile(m.Name) {
		return nil
	}
	if _, err := os.Stat(m.Name); err != nil {
		return nil // one of ours, such as rc11.cat
	}
	m.Files = map[string]string{}
	dir := filepath.Dir(m.Name)
	var add func(name string) error
	add = func(name string) error {
		if _, known := m.Files[name]; known || !filepath.IsLocal(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) && len(m.Files) > 0 {
			return nil // of the library
		}
		if err != nil {
			return err
		}
		m.Files[name] = string(text)
		f, err := cat.LoadText(name, string(text))
		if err != nil {
			return err
		}
		for _, in := range f.File.Body {
			if in, ok := in.(*cat.Include); ok {
				if err := add(filepath.Join(filepath.Dir(name), in.File)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return add(filepath.Base(m.Name))
}

// key names the job.
func (s *Spec) key() string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return digest(data)[:20]
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// wireFormat numbers the form of items, records and Setups.
const wireFormat = 3

// Build returns what all processes of a job have in common: the version of ravel and the commit of its source, whatever the system. A build of changed source is like
// no other.
func Build(version, commit string) string {
	if commit == "" {
		commit = vcsCommit()
	}
	if commit == "" || strings.HasSuffix(commit, "changed") {
		if exe, err := os.Executable(); err == nil {
			if data, err := os.ReadFile(exe); err == nil {
				commit = digest(data)
			}
		}
	}
	return digest(fmt.Appendf(nil, "%s ir%d wire%d %s", version, ir.Format, wireFormat, commit))[:16]
}

// vcsCommit returns the commit that the go command has noted, "" if there is none, or if the source was changed.
func vcsCommit() (commit string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return commit
}
