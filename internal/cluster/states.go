package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ravel/internal/ir"
	"ravel/internal/states"
)

// A StatesRun is a folder in which a run of the engine of states is kept on this machine. That engine remembers what it has explored, so there are no items: what it remembers is
// in the files of states.Checkpoint. Beside them are the program and what else it takes to go on.
type StatesRun struct {
	Dir string

	lock  *os.File
	kept  keptRun
	saved *states.Checkpoint
	log   *slog.Logger

	mu     sync.Mutex
	status Status
	before rate
}

// A keptRun says what a run is about.
type keptRun struct {
	Build   string
	Name    string
	Model   string
	Program string // SHA-256
	Created time.Time
	Client  json.RawMessage // what the command needs to go on
	Ended   bool
}

// Names of files in the folder.
const (
	runFile     = "states.json"
	programFile = "program.ir"
)

// HadStates reports whether a folder has, or had, a run of the engine of states.
func HadStates(dir string) bool {
	_, err := readRun(dir)
	return !errors.Is(err, os.ErrNotExist)
}

func readRun(dir string) (*keptRun, error) {
	name := filepath.Join(dir, runFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	k := &keptRun{}
	if err := json.Unmarshal(data, k); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return k, nil
}

// NewStates makes the folder of a run that begins.
func NewStates(dir, build, name, model string, client json.RawMessage, log *slog.Logger) (*StatesRun, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := lockFolder("--checkpoint", dir)
	if err != nil {
		return nil, err
	}
	_, graphs := os.Stat(filepath.Join(dir, "jetstream"))
	if k, err := readRun(dir); graphs == nil || err == nil && !k.Ended || err != nil && !errors.Is(err, os.ErrNotExist) {
		lock.Close()
		return nil, fmt.Errorf("--checkpoint %s: there is a run already; go on with it by --resume %s, or remove the folder", dir, dir)
	}
	return &StatesRun{Dir: dir, lock: lock, log: log, kept: keptRun{Build: build, Name: name, Model: model, Created: time.Now(), Client: client}}, nil
}

// OpenStates opens the folder of a run, which must be of this build. It returns what was kept for the command, and the program.
func OpenStates(dir, build string, log *slog.Logger) (r *StatesRun, client json.RawMessage, program []byte, err error) {
	lock, err := lockFolder("--resume", dir)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	k, err := readRun(dir)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case k.Ended:
		return nil, nil, nil, fmt.Errorf("%s: the run has ended, and its result was told", dir)
	case k.Build != build:
		return nil, nil, nil, fmt.Errorf("%s: the run was begun by another version of ravel (%s, and this is %s): only that one can go on with it", dir, k.Build, build)
	}
	if program, err = os.ReadFile(filepath.Join(dir, programFile)); err != nil {
		return nil, nil, nil, err
	}
	if digest(program) != k.Program {
		return nil, nil, nil, fmt.Errorf("%s: this is not the program that the run was begun with", filepath.Join(dir, programFile))
	}
	return &StatesRun{Dir: dir, lock: lock, log: log, kept: *k}, k.Client, program, nil
}

// Begin begins to keep the exploration of p, or goes on with it.
func (r *StatesRun) Begin(p *ir.Program) (*states.Checkpoint, error) {
	data, err := p.Encode() // before it is compiled, which adds positions
	if err != nil {
		return nil, err
	}
	r.saved = &states.Checkpoint{Dir: r.Dir, OnSave: r.onSave, OnError: func(err error) { r.log.Warn(err.Error()) }}
	if r.kept.Program == "" {
		if err := r.clear(); err != nil {
			return nil, err
		}
		r.kept.Program = digest(data)
		if err := writeWhole(filepath.Join(r.Dir, programFile), data); err != nil {
			return nil, err
		}
		if err := r.write(); err != nil {
			return nil, err
		}
	} else if err := r.saved.Load(); err != nil {
		return nil, err
	}
	r.onSave(r.saved.Saved())
	return r.saved, nil
}

// clear removes what a run before this one has left.
func (r *StatesRun) clear() error {
	files, err := filepath.Glob(filepath.Join(r.Dir, "states*"))
	for _, f := range append(files, filepath.Join(r.Dir, programFile)) {
		if e := os.Remove(f); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// write writes what the run is about.
func (r *StatesRun) write() error {
	data, err := json.MarshalIndent(r.kept, "", "\t")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(r.Dir, runFile), append(data, '\n'))
}

// writeWhole writes a file so that it is there as a whole, or as it was before.
func writeWhole(name string, data []byte) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// onSave writes the status.
func (r *StatesRun) onSave(s states.Saved) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := rate{time.Now(), s.Stored}
	r.status = Status{
		Job: r.kept.Program[:20], Name: r.kept.Name, Model: r.kept.Model, State: running, Created: r.kept.Created, Seconds: time.Since(r.kept.Created).Seconds(),
		States: s.Stored, Transitions: s.Transitions, Records: int64(s.Saves), PID: os.Getpid(),
	}
	if !r.before.at.IsZero() && now.n >= r.before.n {
		r.status.Rate = float64(now.n-r.before.n) / now.at.Sub(r.before.at).Seconds()
	}
	r.before = now
	writeStatus(r.Dir, &r.status)
}

// Close ends the run, whose result has been told if told is true. It reports whether it is kept: it was left before it was complete.
func (r *StatesRun) Close(told bool) (kept bool, err error) {
	defer r.lock.Close()
	if r.saved != nil {
		r.saved.Close()
	}
	if !told || r.saved == nil {
		return false, nil
	}
	r.status.State = paused
	if kept = r.saved.Paused(); !kept {
		r.status.State = ended
		if err := r.clear(); err != nil {
			return false, err
		}
		r.kept.Ended = true
		err = r.write()
	}
	writeStatus(r.Dir, &r.status)
	return kept, err
}
