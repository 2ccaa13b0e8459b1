package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ravel/internal/play"
	"ravel/internal/web"
)

// Options say what a server allows.
type Options struct {
	Hosts   []string // names that the server is reached by, beside those of this machine
	Public  bool     // for strangers: compilers run only if they are confined
	Limits  play.Limits
	Runs    int      // at a time
	Waiting int      // requests that wait for a place
	PerHost int      // runs and waiting requests of one address; 0 is any number
	Worker  []string // the command that calls Work
	Log     *log.Logger
}

// Defaults returns the options for a page of one's own, or for one that is open to strangers.
func Defaults(public bool) Options {
	o := Options{Public: public, Runs: 4, Waiting: 200}
	o.Limits = play.Limits{Bytes: 1 << 20, Files: 32, Models: 16, Timeout: time.Minute, Memory: 2 << 30, Compilers: true}
	if public {
		o.Runs, o.Waiting, o.PerHost = 2, 32, 3
		o.Limits.Bytes, o.Limits.Files, o.Limits.Models = 64<<10, 8, 8
		o.Limits.Timeout, o.Limits.Memory, o.Limits.Workers = 10*time.Second, 512<<20, 1
	}
	return o
}

// A Server answers requests of the page.
type Server struct {
	o      Options
	port   string
	places chan struct{} // one for each run at a time
	dir    string        // of the folders of runs
	assets http.Handler

	mu      sync.Mutex
	waiting int
	byHost  map[string]int
	runs    sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
}

// New returns a server that is reached at addr, whose port matters only. Close ends it.
func New(addr net.Addr, o Options) (*Server, error) {
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, err
	}
	if o.Public && !canConfine() {
		o.Limits.Compilers = false
	}
	dir, err := os.MkdirTemp("", "ravel-serve-")
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = log.New(os.Stderr, "", log.LstdFlags)
	}
	s := &Server{o: o, port: port, places: make(chan struct{}, o.Runs), dir: dir, byHost: map[string]int{}}
	s.assets = http.FileServerFS(web.Assets())
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Compiles reports whether programs are compiled.
func (s *Server) Compiles() bool { return s.o.Limits.Compilers }

// Close ends all runs and removes what they left.
func (s *Server) Close() error {
	s.stop()
	s.runs.Wait()
	return os.RemoveAll(s.dir)
}

// readTimeout is how long it may take to send a request.
var readTimeout = 30 * time.Second

// Serve answers requests that come to l until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: readTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: s.o.Log}
	end := context.AfterFunc(ctx, func() {
		s.stop()
		grace, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		_ = srv.Shutdown(grace)
	})
	defer end()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	if err := s.refuse(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/api/run":
		s.run(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "only GET is for this address", http.StatusMethodNotAllowed)
	case r.URL.Path == "/api/info":
		h.Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(play.NewInfo(s.o.Limits))
	case r.URL.Path == "/api/model":
		text, err := play.ModelText(r.URL.Query().Get("name"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		h.Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, text)
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(web.Page(nonce))
	default:
		s.assets.ServeHTTP(w, r)
	}
}

// refuse says why a request is not answered: it is for another host, or comes from another page.
func (s *Server) refuse(r *http.Request) error {
	if !s.isHost(r.Host) {
		return fmt.Errorf("this server is not %s: start it with --host NAME if it is to be reached by that name", r.Host)
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin":
	case "none": // typed, or a bookmark
	default:
		if r.URL.Path != "/" || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" { // a link may lead here
			return errors.New("requests from other pages are refused")
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		_, host, ok := strings.Cut(origin, "://")
		if !ok || !strings.EqualFold(host, r.Host) {
			return fmt.Errorf("requests from %s are refused", origin)
		}
	}
	return nil
}

// isHost reports whether the server is reached by this name.
func (s *Server) isHost(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), ""
	}
	if slices.ContainsFunc(s.o.Hosts, func(h string) bool { return strings.EqualFold(h, host) || strings.EqualFold(h, hostport) }) {
		return true
	}
	return (port == s.port || port == "" && s.port == "80") && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, strings.ToLower(host))
}

// run answers a request of the page by a stream of lines, each a play.Message.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "runs are posted", http.StatusMethodNotAllowed)
		return
	}
	if t := r.Header.Get("Content-Type"); t != "application/json" { // other types need no permission of this server to be sent by another page
		http.Error(w, "the request is not application/json", http.StatusUnsupportedMediaType)
		return
	}
	var q play.Request
	r.Body = http.MaxBytesReader(w, r.Body, int64(2*s.o.Limits.Bytes+64<<10)) // quoted text is longer
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	if err := body.Decode(&q); err != nil {
		status := http.StatusBadRequest
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the request can't be read: "+err.Error(), status)
		return
	}
	// Only a body that was read to its end lets the server notice that the client goes away, and the deadline for reading must not end the run.
	_, _ = io.Copy(io.Discard, r.Body)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if err := q.Check(s.o.Limits); err != nil {
		answer(w, play.Message{Problem: &play.Problem{Message: err.Error()}})
		return
	}
	leave, err := s.enter(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("X-Accel-Buffering", "no")
	if !s.takePlace(ctx, w) {
		return
	}
	defer func() { <-s.places }()
	s.work(ctx, &q, s.o.Limits, w)
}

// takePlace waits until one of the runs at a time is free. It is false if the request is over before.
func (s *Server) takePlace(ctx context.Context, w http.ResponseWriter) bool {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case s.places <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
			s.mu.Lock()
			n := s.waiting
			s.mu.Unlock()
			answer(w, play.Message{Queued: max(1, n-s.o.Runs)})
		}
	}
}

// enter counts a request, and refuses it if there are too many.
func (s *Server) enter(r *http.Request) (leave func(), err error) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		host = "" // a proxy on this machine: it counts for itself
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.waiting >= s.o.Runs+s.o.Waiting:
		return nil, errors.New("too many requests wait already: try again in a moment")
	case s.o.PerHost > 0 && host != "" && s.byHost[host] >= s.o.PerHost:
		return nil, errors.New("too many requests of yours run already")
	}
	s.waiting++
	s.byHost[host]++
	s.runs.Add(1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting--
		if s.byHost[host]--; s.byHost[host] == 0 {
			delete(s.byHost, host)
		}
		s.runs.Done()
	}, nil
}

// answer writes a message.
func answer(w http.ResponseWriter, m play.Message) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // it is plain data
	}
	_, _ = w.Write(append(text, '\n'))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
