package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/creachadair/jrpc2"

	"ravel"
)

// A Config is what the command gives the server.
type Config struct {
	In      io.Reader
	Out     io.WriteCloser
	Version string
	// Flags turns flags of ravel check into options. Files among them are relative to a folder.
	Flags func(dir, model string, flags []string) (Check, error)
}

// A Check is what flags of ravel check say.
type Check struct {
	Options ravel.CheckOptions
	Cargo   ravel.Cargo
	Clang   string
}

// Serve speaks with a client until it says exit. An error is a broken connection, or a client that goes without shutdown.
func Serve(config Config) error {
	ctx, stop := context.WithCancel(context.Background())
	s := &server{
		config: config, ctx: ctx, settings: defaults, encoding: utf16Code,
		documents: map[string]*document{}, runs: map[string]*run{}, found: map[string]*finding{}, turn: make(chan struct{}, 1), exited: make(chan struct{}), published: map[string]string{}, tokens: map[string]context.CancelFunc{},
	}
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: 16})
	s.rpc.Start(newFrames(config.In, config.Out))
	gone := make(chan jrpc2.ServerStatus, 1)
	go func() { gone <- s.rpc.WaitStatus() }()
	var err error
	select {
	case <-s.exited: // the library would still wait for input
	case status := <-gone:
		if err = status.Err; err == nil {
			err = errors.New("the client went without exit")
		}
	}
	stop()
	s.work.Wait()
	select {
	case <-s.exited: // what was read before the end of the input was done
		if err = nil; !s.shutDown {
			err = errors.New("the client said exit without shutdown")
		}
	default:
	}
	return err
}

// A server is one connection.
type server struct {
	config Config
	rpc    *jrpc2.Server
	ctx    context.Context // ends with the connection
	work   sync.WaitGroup  // what runs in the background
	turn   chan struct{}   // held by the check that runs
	exited chan struct{}   // closed by exit

	// Since initialize.
	encoding encoding
	folders  []string // of the workspace
	progress bool     // the client shows progress
	pulls    bool     // the client has settings to ask for

	publishing sync.Mutex        // so that diagnostics come in order
	published  map[string]string // by URI, what the client has, if that is not nothing

	mu        sync.Mutex
	state     state
	shutDown  bool          // shutdown was received
	ready     chan struct{} // made when initialize is received, closed when it is done
	settings  Settings
	documents map[string]*document // by URI
	runs      map[string]*run      // by URI of the file that was saved
	found     map[string]*finding  // by program
	tokens    map[string]context.CancelFunc
	tokenID   int
}

type state uint8

const (
	fresh state = iota
	running
	over
)

// handlers are the methods of the protocol that the server knows.
var handlers = map[string]func(*server, context.Context, *jrpc2.Request) (any, error){
	"initialize":  with((*server).initialize),
	"initialized": with((*server).initialized),
	"shutdown":    with((*server).shutdown),
	"exit":        with((*server).exit),

	"textDocument/didOpen":   with((*server).didOpen),
	"textDocument/didChange": with((*server).didChange),
	"textDocument/didSave":   with((*server).didSave),
	"textDocument/didClose":  with((*server).didClose),

	"textDocument/hover":       with((*server).hover),
	"textDocument/definition":  with((*server).definition),
	"textDocument/codeAction":  with((*server).codeAction),
	"workspace/executeCommand": with((*server).executeCommand),

	"workspace/didChangeConfiguration": with((*server).didChangeConfiguration),
	"workspace/didChangeWatchedFiles":  with(func(*server, context.Context, json.RawMessage) (any, error) { return nil, nil }),
	"window/workDoneProgress/cancel":   with((*server).cancelProgress),
	"$/cancelRequest":                  with((*server).cancelRequest),
	"$/setTrace":                       with(func(*server, context.Context, json.RawMessage) (any, error) { return nil, nil }),
}

// with returns a handler that reads its parameters first.
func with[P any](f func(*server, context.Context, P) (any, error)) func(*server, context.Context, *jrpc2.Request) (any, error) {
	return func(s *server, ctx context.Context, r *jrpc2.Request) (any, error) {
		var p P
		if r.HasParams() {
			if err := json.Unmarshal([]byte(r.ParamString()), &p); err != nil {
				return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %v", r.Method(), err)
			}
		}
		return f(s, ctx, p)
	}
}

// Assign returns the handler of a method, nil if there is none. The library calls it in the order of the messages, but handles requests at the same time. Nothing but
// initialize is answered before it, nothing but exit after shutdown.
func (s *server) Assign(_ context.Context, method string) jrpc2.Handler {
	f := handlers[method]
	if f == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ready, down := s.ready, s.shutDown
	tried := func() {} // after initialize
	switch {
	case method == "initialize" && !down:
		if ready == nil {
			made := make(chan struct{})
			s.ready = made
			tried = func() { close(made) }
		}
	case method == "shutdown" && ready != nil:
		s.shutDown = true
	}
	return func(ctx context.Context, r *jrpc2.Request) (result any, err error) {
		defer tried()
		if ready != nil && method != "exit" {
			<-ready
		}
		s.mu.Lock()
		state := s.state
		s.mu.Unlock()
		switch {
		case method == "exit":
		case (ready == nil || state == fresh) && method != "initialize":
			return nil, jrpc2.Errorf(notInitialized, "%s before initialize", method)
		case down:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%s after shutdown", method)
		}
		defer func() {
			if p := recover(); p != nil {
				s.log(1, fmt.Sprintf("%s: %v\n%s", method, p, debug.Stack()))
				err = jrpc2.Errorf(jrpc2.InternalError, "%s: %v", method, p)
			}
		}()
		result, err = f(s, ctx, r)
		if ctx.Err() != nil {
			return nil, jrpc2.Errorf(requestCancelled, "%s was cancelled", method)
		}
		return result, err
	}
}

func (s *server) initialize(_ context.Context, p initializeParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != fresh {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "initialize for the second time")
	}
	settings, err := parseSettings(p.Options)
	if err != nil {
		s.background(func() { s.show(severityError, err.Error()) })
	}
	s.state, s.settings = running, settings
	s.progress, s.pulls = p.Capabilities.Window.WorkDoneProgress, p.Capabilities.Workspace.Configuration
	for _, f := range append(p.WorkspaceFolders, workspaceFolder{p.RootURI}) {
		if path := pathOf(f.URI); path != "" {
			s.folders = append(s.folders, path)
		}
	}
	for _, e := range p.Capabilities.General.PositionEncodings {
		if encoding(e) == utf8Code {
			s.encoding = utf8Code
		}
	}
	return initializeResult{
		ServerInfo: map[string]string{"name": "ravel", "version": s.config.Version},
		Capabilities: map[string]any{
			"positionEncoding":       s.encoding,
			"textDocumentSync":       map[string]any{"openClose": true, "change": 1, "save": true}, // 1: the whole text
			"hoverProvider":          true,
			"definitionProvider":     true,
			"codeActionProvider":     map[string]any{"codeActionKinds": []string{"quickfix"}},
			"executeCommandProvider": map[string]any{"commands": []string{commandCheck}},
		},
	}, nil
}

// initialized asks the client for settings, if it has them to ask for.
func (s *server) initialized(context.Context, struct{}) (any, error) {
	s.pullSettings()
	return nil, nil
}

func (s *server) pullSettings() {
	if !s.pulls {
		return
	}
	s.background(func() {
		response, err := s.rpc.Callback(s.ctx, "workspace/configuration", map[string]any{"items": []map[string]string{{"section": "ravel"}}})
		if err != nil {
			return
		}
		var items []json.RawMessage
		if err := response.UnmarshalResult(&items); err == nil && len(items) > 0 && string(items[0]) != "null" {
			s.setSettings(items[0])
		}
	})
}

func (s *server) didChangeConfiguration(_ context.Context, p struct{ Settings json.RawMessage }) (any, error) {
	if len(p.Settings) == 0 || string(p.Settings) == "null" {
		s.pullSettings()
		return nil, nil
	}
	s.setSettings(p.Settings)
	return nil, nil
}

// setSettings takes new settings; if they are wrong it says so and keeps the old ones.
func (s *server) setSettings(raw json.RawMessage) {
	settings, err := parseSettings(raw)
	if err != nil {
		s.show(severityError, err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
}

func (s *server) shutdown(context.Context, json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		r.cancel()
	}
	return nil, nil
}

func (s *server) exit(context.Context, json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != over {
		s.state = over
		close(s.exited)
	}
	return nil, nil
}

func (s *server) cancelRequest(_ context.Context, p struct{ ID json.RawMessage }) (any, error) {
	s.rpc.CancelRequest(string(p.ID))
	return nil, nil
}

func (s *server) didOpen(_ context.Context, p documentParams) (any, error) {
	t := p.TextDocument
	path := pathOf(t.URI)
	d := &document{uri: canonical(t.URI), path: path, language: languageOf(path, t.LanguageID), version: t.Version, text: t.Text}
	s.mu.Lock()
	s.documents[d.uri] = d
	s.mu.Unlock()
	s.typed(d.uri)
	return nil, nil
}

func (s *server) didChange(_ context.Context, p changeParams) (any, error) {
	uri := canonical(p.TextDocument.URI)
	s.mu.Lock()
	d := s.documents[uri]
	if d != nil && len(p.ContentChanges) > 0 {
		for _, change := range p.ContentChanges {
			if change.Range == nil {
				d.text = change.Text
				continue
			}
			start, end := s.encoding.offset(d.text, change.Range.Start), s.encoding.offset(d.text, change.Range.End)
			d.text = d.text[:start] + change.Text + d.text[max(start, end):]
		}
		d.version = p.TextDocument.Version
	}
	s.mu.Unlock()
	if d != nil {
		s.typed(uri)
	}
	return nil, nil
}

func (s *server) didSave(_ context.Context, p documentParams) (any, error) {
	s.mu.Lock()
	d, on := s.documents[canonical(p.TextDocument.URI)], s.settings.CheckOnSave
	s.mu.Unlock()
	if d != nil && on {
		s.start(d.uri)
	}
	return nil, nil
}

func (s *server) didClose(_ context.Context, p documentParams) (any, error) {
	uri := canonical(p.TextDocument.URI)
	s.mu.Lock()
	delete(s.documents, uri)
	if r := s.runs[uri]; r != nil {
		r.cancel()
		delete(s.runs, uri)
	}
	for key, f := range s.found {
		if delete(f.origins, uri); len(f.origins) == 0 {
			delete(s.found, key)
		}
	}
	s.mu.Unlock()
	s.publish()
	return nil, nil
}

// background runs f beside the requests; a panic of f is logged.
func (s *server) background(f func()) {
	s.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.log(1, fmt.Sprintf("%v\n%s", p, debug.Stack()))
			}
		}()
		f()
	})
}

// notify sends a notification. If the client is gone, the server ends by itself.
func (s *server) notify(method string, params any) { _ = s.rpc.Notify(s.ctx, method, params) }

// log tells the client something for its log; kinds are the severities of messages.
func (s *server) log(kind int, message string) {
	s.notify("window/logMessage", map[string]any{"type": kind, "message": message})
}

// show tells the user something.
func (s *server) show(kind int, message string) {
	s.notify("window/showMessage", map[string]any{"type": kind, "message": message})
}
