package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ravel/internal/play"
)

// A worker finds its limits in this variable, and in the other one that it is confined.
const (
	limitsOf = "RAVEL_SERVE_LIMITS"
	confined = "RAVEL_SERVE_CONFINED"
)

// workerLimits are what limitsOf has.
type workerLimits struct {
	play.Limits
	Must bool // do nothing unless confined
}

// Work reads a request and writes messages, one a line, until it is done. It is what the process of a run does, and confines that process first.
func Work(r io.Reader, w io.Writer) error {
	var l workerLimits
	if err := json.Unmarshal([]byte(os.Getenv(limitsOf)), &l); err != nil {
		return fmt.Errorf("%s: %w", limitsOf, err)
	}
	if os.Getenv(confined) == "" {
		if err := confine(l.Limits); l.Must && err != nil {
			return err
		}
	}
	os.Unsetenv(limitsOf)
	var q play.Request
	if err := json.NewDecoder(r).Decode(&q); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var mu sync.Mutex
	play.Run(context.Background(), &q, l.Limits, func(m play.Message) {
		mu.Lock()
		defer mu.Unlock()
		text, err := json.Marshal(m)
		if err != nil {
			panic(err) // it is plain data
		}
		_, _ = out.Write(append(text, '\n'))
		_ = out.Flush()
	})
	return nil
}

// A worker gets this much longer than the time of its request, to make its answer.
const grace = 5 * time.Second

// maxLine is how long a message may be.
const maxLine = 64 << 20

// work runs a request in a process of its own and passes its messages on. When it returns, nothing of the run is left.
// env is added to its environment.
func (s *Server) work(ctx context.Context, q *play.Request, l play.Limits, w http.ResponseWriter, env ...string) {
	dir, err := os.MkdirTemp(s.dir, "run-")
	if err != nil {
		s.fail(w, err, "")
		return
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, l.Timeout+grace)
	defer cancel()
	text, err := json.Marshal(q)
	if err != nil {
		s.fail(w, err, "")
		return
	}
	limits, err := json.Marshal(workerLimits{l, s.o.Public})
	if err != nil {
		s.fail(w, err, "")
		return
	}
	cmd := exec.CommandContext(ctx, s.o.Worker[0], s.o.Worker[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(text)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir, limitsOf+"="+string(limits))
	cmd.Env = append(cmd.Env, env...)
	var stderr head
	cmd.Stderr = &stderr
	group(cmd) // so that what it starts ends with it
	cmd.WaitDelay = 2 * time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.fail(w, err, "")
		return
	}
	done := s.pass(out, w)
	if !done {
		_ = cmd.Cancel()
	}
	err = cmd.Wait()
	endGroup(cmd)
	if done || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	s.fail(w, err, stderr.String())
}

// Warm compiles a small program in Rust without confinement, so that what ravel keeps of the standard library is there for runs, which cannot write it.
func (s *Server) Warm(ctx context.Context) {
	if !play.NewInfo(s.o.Limits).Tools["rust"] {
		return
	}
	l := s.o.Limits
	l.Timeout = 10 * time.Minute
	q := &play.Request{Kind: "check", Files: []play.File{{Name: "warm.rs", Text: "fn main() {}\n"}}}
	s.runs.Add(1)
	defer s.runs.Done()
	s.work(ctx, q, l, discard{}, confined+"=1")
}

// discard drops an answer.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// pass copies the messages of a worker. It reports whether the last one was there.
func (s *Server) pass(out io.Reader, w http.ResponseWriter) (done bool) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var m struct{ Answer, Problem json.RawMessage }
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			return false
		}
		done = m.Answer != nil || m.Problem != nil
		if _, err := w.Write(append(lines.Bytes(), '\n')); err != nil {
			return false
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	return done
}

// fail tells the page that a run ended without an answer, and the log why.
func (s *Server) fail(w http.ResponseWriter, err error, stderr string) {
	s.o.Log.Printf("a run ended without an answer: %v\n%s", err, stderr)
	message := "The run was stopped: it took more time or memory than this page allows."
	if strings.Contains(stderr, "internal error") {
		message = "ravel has a defect that this program shows. Please report it with the program."
	}
	answer(w, play.Message{Problem: &play.Problem{Message: message}})
}

// A head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

func (t *head) Write(p []byte) (int, error) {
	if room := 8<<10 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
