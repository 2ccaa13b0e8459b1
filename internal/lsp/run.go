package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"ravel"
)

// commandCheck checks a file as if it had been saved, and returns an outcome for each program and model.
const commandCheck = "ravel.check"

// A run is the check of a file that was saved.
type run struct {
	cancel  context.CancelFunc
	current string             // the key of the job that runs
	skip    context.CancelFunc // ends that job
}

// An outcome is what the command answers.
type outcome struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	Verdict string `json:"verdict"`
	Summary string `json:"summary"`
}

// A finding is what is known of a program, or of a text that is typed.
type finding struct {
	origins  map[string]bool // the open files that it is about
	problems []problem

	// Of a program that was checked for memory orders.
	by         string
	suggestion *ravel.Suggestion
	wrong      bool              // the program has an error
	checked    map[string]string // the texts of files at the time, by path
	files      map[string]string // paths by the names in the result
}

// start checks a file in the background. A check of it that still runs is stopped.
func (s *server) start(uri string) {
	ctx, r := s.begin(uri)
	s.background(func() { _, _ = s.check(ctx, uri, r) })
}

func (s *server) begin(uri string) (context.Context, *run) {
	ctx, cancel := context.WithCancel(s.ctx)
	r := &run{cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.runs[uri]; old != nil {
		old.cancel()
	}
	s.runs[uri] = r
	return ctx, r
}

func (s *server) executeCommand(ctx context.Context, p commandParams) (any, error) {
	if p.Command != commandCheck || len(p.Arguments) != 1 {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s with %d arguments: there is %s, which takes a URI", p.Command, len(p.Arguments), commandCheck)
	}
	var uri string
	if err := json.Unmarshal(p.Arguments[0], &uri); err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %v", p.Command, err)
	}
	d, err := s.document(uri)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	runCtx, r := s.begin(d.uri)
	defer context.AfterFunc(ctx, r.cancel)()
	return s.check(runCtx, d.uri, r)
}

// check checks the programs of a file and publishes what it finds.
func (s *server) check(ctx context.Context, uri string, r *run) ([]outcome, error) {
	defer r.cancel()
	d, err := s.document(uri)
	if err != nil || d.path == "" {
		return nil, err
	}
	s.mu.Lock()
	settings := s.settings
	s.mu.Unlock()
	if d.language == langLitmus {
		return s.checkTest(ctx, &d, r, &settings), ctx.Err()
	}
	if !d.language.isProgram() {
		return nil, nil
	}
	jobs, note, err := s.jobs(&d, &settings)
	self := &finding{origins: map[string]bool{uri: true}}
	switch {
	case errors.Is(err, errNoMain):
		self.problems = []problem{s.remark(d.path, severityInformation, err.Error())}
	case err != nil:
		self.problems = s.mistakes(&job{dir: filepath.Dir(d.path)}, d.path, err)
	case note != "":
		self.problems = []problem{s.remark(d.path, severityInformation, note)}
	}
	var keys []string
	for _, j := range jobs {
		keys = append(keys, j.key())
	}
	s.mu.Lock()
	s.found["file\x00"+uri] = self
	for key, f := range s.found {
		if f.origins[uri] && f != self && !isTyped(key) && !slices.Contains(keys, key) { // of another program than now
			if delete(f.origins, uri); len(f.origins) == 0 {
				delete(s.found, key)
			}
		}
	}
	for _, other := range s.runs { // they read a text that is no more
		if other != r && other.skip != nil && slices.Contains(keys, other.current) {
			other.skip()
		}
	}
	s.mu.Unlock()
	s.publish(uri)
	var list []outcome
	for _, j := range jobs {
		o, ok := s.runJob(ctx, uri, r, j, &settings)
		if !ok {
			return list, ctx.Err()
		}
		list = append(list, o)
	}
	return list, nil
}

// runJob waits for its turn, checks a program, and publishes what it finds; then it looks for memory orders to change. It returns false if it was cancelled.
func (s *server) runJob(ctx context.Context, uri string, r *run, j *job, settings *Settings) (o outcome, ok bool) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return o, false
	}
	defer func() { <-s.turn }()
	opts := j.check.Options
	opts.Model = j.model
	if opts.Timeout == 0 {
		opts.Timeout = settings.timeout()
	}
	if opts.Workers == 0 {
		opts.Workers = max(1, runtime.NumCPU()/2) // the editor needs some, too
	}
	if memory := ravel.DefaultMemory(); opts.MaxMemory == 0 && memory > 0 {
		opts.MaxMemory = min(memory, 4<<30)
	}
	whole, cancel := context.WithTimeout(ctx, 2*opts.Timeout+time.Minute) // with the compiler
	defer cancel()
	s.mu.Lock()
	r.current, r.skip = j.key(), cancel
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		r.skip = nil
		s.mu.Unlock()
		debug.FreeOSMemory()
	}()
	p := s.startProgress(fmt.Sprintf("ravel: %s (%s)", j.title, j.model), r.cancel)
	opts.OnProgress = p.sample
	program, res, err := j.run(whole, opts)
	if skipped := errors.Is(whole.Err(), context.Canceled); skipped {
		p.end("cancelled")
		return o, false
	}
	f := &finding{origins: map[string]bool{uri: true}, by: j.by()}
	o = outcome{Program: j.title, Model: j.model}
	if err != nil {
		f.problems = s.mistakes(j, named(j.dir, j.names), err)
		o.Verdict, o.Summary = string(ravel.Unknown), err.Error()
	} else {
		f.problems = s.problems(j, uri, res)
		o.Verdict, o.Summary = string(res.Verdict), summary(res)
	}
	s.replace(j.key(), f)
	s.log(3, fmt.Sprintf("%s (%s): %s", j.title, j.model, o.Summary))
	s.publish(uri)
	wanted := err == nil && settings.Suggest && opts.Engine != ravel.States && opts.Hunt == 0 && (j.target == nil || j.target.Verdict != ravel.Wrong)
	if wanted && (res.Verdict == ravel.Verified || res.Verdict == ravel.Wrong) {
		p.message("looking for memory orders to change")
		opts.Suggest, opts.KeepGoing = true, false
		if res, err := ravel.Check(whole, program, opts); err == nil && whole.Err() == nil && res.Suggestion != nil {
			s.suggest(j, f, res)
			s.replace(j.key(), f)
			s.publish(uri)
		}
	}
	p.end(o.Summary)
	return o, ctx.Err() == nil
}

// run opens and checks the program.
func (j *job) run(ctx context.Context, opts ravel.CheckOptions) (ravel.Program, *ravel.Result, error) {
	cargo := j.check.Cargo
	cargo.Flags = j.compilerFlags
	program, err := ravel.Open(ctx, j.dir, cargo, j.names...)
	if err != nil {
		return program, nil, err
	}
	program.Clang, program.CompilerFlags = j.check.Clang, j.compilerFlags
	res, err := ravel.Check(ctx, program, opts)
	return program, res, err
}

// by says which check found a problem.
func (j *job) by() string {
	if j.target != nil {
		return j.target.Name + ", " + j.model
	}
	return j.model
}

// replace takes what is known of a program. It is about all open files that it was about before.
func (s *server) replace(key string, f *finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.found[key]; old != nil {
		for uri := range old.origins {
			f.origins[uri] = true
		}
	}
	s.found[key] = f
}

// A progress is shown by the client while a check runs.
type progress struct {
	s     *server
	token string // "" if the client does not show any
	mu    sync.Mutex
	last  time.Time
	over  bool
}

// startProgress begins to show progress; the client may cancel.
func (s *server) startProgress(title string, cancel context.CancelFunc) *progress {
	p := &progress{s: s}
	if !s.progress {
		return p
	}
	s.mu.Lock()
	s.tokenID++
	token := fmt.Sprintf("ravel-%d", s.tokenID)
	s.tokens[token] = cancel
	s.mu.Unlock()
	ctx, stop := context.WithTimeout(s.ctx, 5*time.Second)
	defer stop()
	if _, err := s.rpc.Callback(ctx, "window/workDoneProgress/create", map[string]string{"token": token}); err != nil {
		return p
	}
	p.token = token
	s.notify("$/progress", progressParams{token, progressValue{Kind: "begin", Title: title, Cancellable: true}})
	return p
}

// sample shows how far a check is, not too often.
func (p *progress) sample(x ravel.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == "" || p.over || time.Since(p.last) < 300*time.Millisecond {
		return
	}
	p.last = time.Now()
	noun := x.Noun
	if noun == "" {
		noun = "execution"
	}
	v := progressValue{Kind: "report", Cancellable: true, Message: fmt.Sprintf("%d %ss", x.Done, noun)}
	if x.Total > 0 {
		percent := min(99, int(100*float64(x.Done)/x.Total))
		v.Percentage = &percent
	}
	p.s.notify("$/progress", progressParams{p.token, v})
}

func (p *progress) message(text string) {
	if p.token != "" {
		p.s.notify("$/progress", progressParams{p.token, progressValue{Kind: "report", Cancellable: true, Message: text}})
	}
}

func (p *progress) end(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.token == "" {
		return
	}
	p.s.notify("$/progress", progressParams{p.token, progressValue{Kind: "end", Message: text}})
	p.s.mu.Lock()
	delete(p.s.tokens, p.token)
	p.s.mu.Unlock()
}

func (s *server) cancelProgress(_ context.Context, params struct{ Token string }) (any, error) {
	s.mu.Lock()
	cancel := s.tokens[params.Token]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return nil, nil
}
