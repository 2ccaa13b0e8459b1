package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

// An editor is a client of the language server, which is a process of its own. It shares no code with the server.
type editor struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errs   strings.Builder
	nextID int

	mu       sync.Mutex
	changed  *sync.Cond
	answers  map[int]message
	notes    []message // notifications of the server
	settings string    // JSON; "" if the client has none to ask for
	over     bool
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type lspRange struct {
	Start, End struct{ Line, Character int }
}

type lspDiagnostic struct {
	Range              lspRange
	Severity           int
	Code, Message      string
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range lspRange
		}
		Message string
	}
}

// startEditor starts the server.
func startEditor(t *testing.T) *editor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, cmd: exec.Command(self, "lsp", "--stdio"), answers: map[int]message{}}
	e.changed = sync.NewCond(&e.mu)
	e.cmd.Env = append(os.Environ(), "RAVEL_RUN=run", "XDG_CACHE_HOME="+t.TempDir())
	e.cmd.Stderr = &e.errs
	e.in, err = e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	go e.read()
	return e
}

// read takes what the server sends, and answers what it asks.
func (e *editor) read() {
	for {
		m, err := readMessage(e.out)
		e.mu.Lock()
		switch {
		case err != nil:
			e.over = true
		case m.Method != "" && m.ID != nil:
			result := "null"
			if m.Method == "workspace/configuration" {
				result = "[" + e.settings + "]"
			}
			fmt.Fprint(e.in, frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)))
		case m.Method != "":
			e.notes = append(e.notes, m)
		default:
			id, _ := strconv.Atoi(string(m.ID))
			e.answers[id] = m
		}
		e.changed.Broadcast()
		e.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func readMessage(r *bufio.Reader) (m message, err error) {
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func (e *editor) send(m map[string]any) {
	e.t.Helper()
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := io.WriteString(e.in, frame(string(b))); err != nil {
		e.t.Fatalf("the server is gone: %v\n%s", err, e.errs.String())
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"method": method, "params": params})
}

// ask sends a request and returns its number.
func (e *editor) ask(method string, params any) int {
	e.t.Helper()
	e.nextID++
	e.send(map[string]any{"id": e.nextID, "method": method, "params": params})
	return e.nextID
}

// wait waits until something is true of what the server sent.
func (e *editor) wait(what string, done func() bool) {
	e.t.Helper()
	timer := time.AfterFunc(5*time.Minute, func() { // only a test that fails waits so long
		e.mu.Lock()
		defer e.mu.Unlock()
		e.over = true
		e.changed.Broadcast()
	})
	defer timer.Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !done() {
		if e.over {
			for _, n := range e.notes {
				e.t.Logf("%s %s", n.Method, n.Params)
			}
			e.t.Fatalf("no %s\n%s", what, e.errs.String())
		}
		e.changed.Wait()
	}
}

// answer waits for the answer to a request.
func (e *editor) answer(id int) (m message) {
	e.t.Helper()
	e.wait(fmt.Sprintf("answer to request %d", id), func() (ok bool) { m, ok = e.answers[id]; return ok })
	return m
}

// call asks and returns the result.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	m := e.answer(e.ask(method, params))
	if m.Error != nil {
		e.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.t.Fatalf("%s: %v in %s", method, err, m.Result)
		}
	}
}

func (e *editor) initialize(dir string, options any) {
	e.t.Helper()
	capabilities := map[string]any{"window": map[string]any{"workDoneProgress": true}, "workspace": map[string]any{"configuration": e.settings != ""}}
	var result struct {
		ServerInfo struct{ Name, Version string }
	}
	e.call("initialize", map[string]any{"processId": os.Getpid(), "rootUri": fileURI(dir), "capabilities": capabilities, "initializationOptions": options}, &result)
	if result.ServerInfo.Name != "ravel" {
		e.t.Errorf("the server is %+v", result)
	}
	e.notify("initialized", map[string]any{})
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func (e *editor) open(path string) {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": fileURI(path), "languageId": "", "version": 1, "text": string(text)}})
}

func (e *editor) change(path, text string, version int) {
	e.t.Helper()
	e.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": fileURI(path), "version": version},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// save writes the text to the disk and says so.
func (e *editor) save(path, text string) {
	e.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": fileURI(path)}})
}

// mark returns how much the server has sent; after looks at what comes later.
func (e *editor) mark() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.notes)
}

// diagnostics waits for diagnostics of a file that are as wanted.
func (e *editor) diagnostics(after int, path string, want func([]lspDiagnostic) bool) (list []lspDiagnostic) {
	e.t.Helper()
	e.wait("diagnostics of "+path, func() bool {
		for _, n := range e.notes[after:] {
			var p struct {
				URI         string
				Diagnostics []lspDiagnostic
			}
			if n.Method == "textDocument/publishDiagnostics" && json.Unmarshal(n.Params, &p) == nil && p.URI == fileURI(path) && want(p.Diagnostics) {
				list = p.Diagnostics
				return true
			}
		}
		return false
	})
	return list
}

// progress waits for a report of progress of a kind, and returns its token and message.
func (e *editor) progress(after int, kind, text string) (token, message string) {
	e.t.Helper()
	e.wait("progress: "+kind+" "+text, func() bool {
		for _, n := range e.notes[after:] {
			var p struct {
				Token string
				Value struct{ Kind, Title, Message string }
			}
			if n.Method == "$/progress" && json.Unmarshal(n.Params, &p) == nil && p.Value.Kind == kind && strings.Contains(p.Value.Title+p.Value.Message, text) {
				token, message = p.Token, p.Value.Message
				return true
			}
		}
		return false
	})
	return token, message
}

func at(path string, text, mark string) map[string]any {
	off := strings.Index(text, mark)
	line := strings.Count(text[:off], "\n")
	character := len(utf16.Encode([]rune(text[strings.LastIndexByte(text[:off], '\n')+1 : off])))
	return map[string]any{"textDocument": map[string]any{"uri": fileURI(path)}, "position": map[string]any{"line": line, "character": character}}
}

// hover returns what the server says at the first place of a text.
func (e *editor) hover(path, text, mark string) string {
	e.t.Helper()
	var result *struct{ Contents struct{ Value string } }
	e.call("textDocument/hover", at(path, text, mark), &result)
	if result == nil {
		return ""
	}
	return result.Contents.Value
}

type lspAction struct {
	Title string
	Edit  struct {
		Changes map[string][]struct {
			Range   lspRange
			NewText string
		}
	}
}

func (e *editor) actions(path string, line int) (list []lspAction) {
	e.t.Helper()
	pos := map[string]any{"line": line, "character": 0}
	e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": fileURI(path)}, "range": map[string]any{"start": pos, "end": pos}, "context": map[string]any{"diagnostics": []any{}},
	}, &list)
	return list
}

// apply makes the edits of an action to a text, as an editor that counts UTF-16 does.
func apply(t *testing.T, text, path string, a lspAction) string {
	t.Helper()
	edits := a.Edit.Changes[fileURI(path)]
	lines := strings.SplitAfter(text, "\n")
	offset := func(line, character int) int {
		n := 0
		for _, l := range lines[:line] {
			n += len(l)
		}
		return n + len(string(utf16.Decode(utf16.Encode([]rune(lines[line]))[:character])))
	}
	for _, e := range slices.Backward(edits) {
		start, end := offset(e.Range.Start.Line, e.Range.Start.Character), offset(e.Range.End.Line, e.Range.End.Character)
		text = text[:start] + e.NewText + text[end:]
	}
	return text
}

// quit ends the session and checks the status of the server.
func (e *editor) quit(want int) {
	e.t.Helper()
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	if status := e.status(); status != want {
		e.t.Errorf("the server ends with status %d, want %d\n%s", status, want, e.errs.String())
	}
}

func (e *editor) status() int {
	e.t.Helper()
	e.wait("end", func() bool { return e.over })
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

func severity(n int) func([]lspDiagnostic) bool {
	return func(l []lspDiagnostic) bool {
		return slices.ContainsFunc(l, func(d lspDiagnostic) bool { return d.Severity == n })
	}
}

func none(l []lspDiagnostic) bool { return len(l) == 0 }

const wrongFlag = `#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
int data;
static void *run(void *arg) {
	data = 1; /* naïve 𝔠omment */
	/* 𝔠 */ atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		return data;
	return 0;
}
`

// TestEditor drives the server from start to shutdown: an error is found, explained and repaired by the edit that the server offers.
func TestEditor(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "with space.c")
	writeAll(t, dir, map[string]string{"with space.c": wrongFlag})
	e := startEditor(t)
	e.initialize(dir, nil)
	e.open(file)
	now := e.mark()
	e.save(file, wrongFlag)
	list := e.diagnostics(now, file, severity(1))
	d := list[0]
	if d.Code != "race" || d.Range.Start.Line != 13 || !strings.HasSuffix(d.Message, "(rc11)") || len(d.RelatedInformation) == 0 || d.RelatedInformation[0].Location.Range.Start.Line != 5 {
		t.Errorf("%+v", d)
	}
	list = e.diagnostics(now, file, severity(4))
	hint := list[slices.IndexFunc(list, func(d lspDiagnostic) bool { return d.Severity == 4 })]
	if hint.Range.Start.Line != 6 || hint.Range.Start.Character != 10 || !strings.Contains(hint.Message, "release instead of relaxed") { // a tab, and 𝔠 is two units
		t.Errorf("%+v", hint)
	}
	if text := e.hover(file, wrongFlag, "atomic_store_explicit"); !strings.Contains(text, "relaxed store") || !strings.Contains(text, "release instead of relaxed") {
		t.Errorf("hover: %s", text)
	}
	if text := e.hover(file, wrongFlag, "memory_order_acquire"); !strings.Contains(text, "acquire load") || !strings.Contains(text, "happens before") {
		t.Errorf("hover: %s", text)
	}
	if text := e.hover(file, wrongFlag, "pthread_create(&t"); text != "" {
		t.Errorf("hover: %s", text)
	}
	if list := e.actions(file, 3); len(list) > 0 {
		t.Errorf("%+v where there is nothing to do", list)
	}
	actions := e.actions(file, 6)
	if len(actions) != 1 {
		t.Fatalf("%+v", actions)
	}
	right := apply(t, wrongFlag, file, actions[0])
	if want := strings.Replace(wrongFlag, "memory_order_relaxed", "memory_order_release", 1); right != want {
		t.Fatalf("after %q:\n%s", actions[0].Title, right)
	}
	e.change(file, right, 2)
	if list := e.actions(file, 6); len(list) > 0 {
		t.Errorf("%+v for a text that was not checked", list)
	}
	now = e.mark()
	e.save(file, right)
	e.diagnostics(now, file, none)
	e.progress(now, "end", "")
	if text := e.hover(file, right, "atomic_store_explicit"); !strings.Contains(text, "the store needs release: with a weaker order, an execution goes wrong") {
		t.Errorf("hover: %s", text)
	}
	if _, message := e.progress(now, "end", ""); !strings.HasPrefix(message, "verified: no errors in 2 executions") {
		t.Errorf("%q", message)
	}
	broken := strings.Replace(right, "return data;", "return dada;", 1)
	e.change(file, broken, 3)
	now = e.mark()
	e.save(file, broken)
	list = e.diagnostics(now, file, severity(1))
	if list[0].Range.Start.Line != 13 || !strings.Contains(list[0].Message, "undeclared identifier 'dada'") {
		t.Errorf("%+v", list)
	}
	now = e.mark()
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": fileURI(file)}})
	e.diagnostics(now, file, none)
	e.quit(0)
}

// TestEditorPrograms checks files that are parts of programs: ravel.toml and compile_commands.json say of which.
func TestEditorPrograms(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	library := strings.Replace(wrongFlag, "int main(", "int test(", 1)
	writeAll(t, dir, map[string]string{
		"toml/ravel.toml": "[[target]]\nname = \"known\"\nfiles = [\"main.c\", \"lib.c\"]\nverdict = \"error\"\n" +
			"[[target]]\nname = \"new\"\nfiles = [\"main.c\", \"lib.c\"]\nmodels = [\"sc\", \"tso\"]\nflags = [\"--no-race-check\"]\nverdict = \"error\"\n",
		"toml/main.c":                       "int test(void);\nint main(void) { return test(); }\n",
		"toml/lib.c":                        library,
		"cmake/main.c":                      "int test(void);\nint main(void) { return test(); }\n",
		"cmake/lib.c":                       library,
		"cmake/build/compile_commands.json": `[{"directory": "..", "file": "main.c", "command": "cc -c main.c"}, {"directory": "..", "file": "lib.c", "command": "cc -c lib.c"}]`,
		"alone/lib.c":                       library,
	})
	e := startEditor(t)
	e.settings = `{"suggest": false, "model": "rc11"}`
	e.initialize(dir, map[string]any{"suggest": false})
	lib := filepath.Join(dir, "toml/lib.c")
	e.open(lib)
	now := e.mark()
	e.save(lib, library)
	// The error that a target expects is not an error of the text; the target that expects one and has none is wrong.
	list := e.diagnostics(now, lib, severity(3))
	if len(list) != 1 || !strings.Contains(list[0].Message, "the target expects an error") || !strings.Contains(list[0].Message, "(known, rc11)") {
		t.Errorf("%+v", list)
	}
	list = e.diagnostics(now, filepath.Join(dir, "toml/ravel.toml"), func(l []lspDiagnostic) bool { return len(l) > 0 && strings.Contains(l[0].Message, "tso") })
	if len(list) != 1 || list[0].Range.Start.Line != 9 || !strings.Contains(list[0].Message, "target new: want error, have verified (new, sc; new, tso)") {
		t.Errorf("%+v", list)
	}
	lib = filepath.Join(dir, "cmake/lib.c")
	e.open(lib)
	now = e.mark()
	e.save(lib, library)
	if list := e.diagnostics(now, lib, severity(1)); list[0].Code != "race" {
		t.Errorf("%+v", list)
	}
	lib = filepath.Join(dir, "alone/lib.c")
	e.open(lib)
	now = e.mark()
	e.save(lib, library)
	if list := e.diagnostics(now, lib, severity(3)); !strings.Contains(list[0].Message, "this file has no main") {
		t.Errorf("%+v", list)
	}
	// A wrong ravel.toml is told at its place.
	toml := filepath.Join(dir, "toml/ravel.toml")
	if err := os.WriteFile(toml, []byte("[[target]]\nname = \"x\"\nfiles = [\"main.c\"]\nmodles = []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	now = e.mark()
	e.save(filepath.Join(dir, "toml/lib.c"), library)
	e.diagnostics(now, toml, func(l []lspDiagnostic) bool {
		return len(l) == 1 && l[0].Range.Start.Line == 3 && strings.Contains(l[0].Message, "did you mean models?")
	})
	// The client's settings. Wrong ones are told, and change nothing.
	now = e.mark()
	e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"ravel": map[string]any{"timeout": "soon"}}})
	e.wait("message", func() bool {
		return slices.ContainsFunc(e.notes[now:], func(m message) bool {
			return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "timeout")
		})
	})
	e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"ravel": map[string]any{"model": "sc", "flags": []string{"--no-race-check"}, "suggest": false}}})
	lib = filepath.Join(dir, "cmake/lib.c")
	now = e.mark()
	e.save(lib, library)
	e.diagnostics(now, lib, none)
	e.quit(0)
}

// TestEditorCat asks about a model, also in files that it includes, and while it is typed.
func TestEditorCat(t *testing.T) {
	dir := t.TempDir()
	text := "\"Mine\"\ninclude \"common.cat\"\ninclude \"cos.cat\"\n(* Happens before. *)\nlet hb = (po | mine)+\nacyclic hb | fr\n"
	writeAll(t, dir, map[string]string{"my.cat": text, "common.cat": "let mine = rf & ext\nlet reads = range(rf)\n"})
	file := filepath.Join(dir, "my.cat")
	e := startEditor(t)
	e.initialize(dir, nil)
	now := e.mark()
	e.open(file)
	e.diagnostics(now, file, none)
	for mark, want := range map[string]string{
		"hb | fr":    "`hb` is a relation.\n\nHappens before.",
		"mine)":      "let mine = rf & ext\n```\n`mine` is a relation, from common.cat",
		"po |":       "Program order",
		"fr\n":       "`fr` is a relation, from cos.cat",
		"common.cat": "a file",
	} {
		if got := e.hover(file, text, mark); !strings.Contains(got, want) {
			t.Errorf("%q: %s", mark, got)
		}
	}
	var place struct {
		URI   string
		Range lspRange
	}
	for mark, want := range map[string]string{"hb | fr": fileURI(file) + "#4:4", "mine)": fileURI(filepath.Join(dir, "common.cat")) + "#0:4", "common.cat": fileURI(filepath.Join(dir, "common.cat")) + "#0:0"} {
		e.call("textDocument/definition", at(file, text, mark), &place)
		if got := fmt.Sprintf("%s#%d:%d", place.URI, place.Range.Start.Line, place.Range.Start.Character); got != want {
			t.Errorf("%q is defined at %s, want %s", mark, got, want)
		}
	}
	e.call("textDocument/definition", at(file, text, "fr\n"), &place) // of our library
	u, err := url.Parse(place.URI)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(u.Path); err != nil || !strings.Contains(strings.Split(string(b), "\n")[place.Range.Start.Line], "let fr =") {
		t.Errorf("fr is defined at %+v: %v", place, err)
	}
	for wrong, want := range map[string]string{
		strings.Replace(text, "(po", "((po", 1):              "4:expected ), found acyclic",
		strings.Replace(text, "acyclic hb", "acyclic bh", 1): "5:unbound name bh",
		strings.Replace(text, "| mine", "| reads", 1):        "4:",
		strings.Replace(text, "common", "uncommon", 1):       "1:cannot find \"uncommon.cat\"",
	} {
		now := e.mark()
		e.change(file, wrong, now+2)
		list := e.diagnostics(now, file, severity(1))
		if got := fmt.Sprintf("%d:%s", list[0].Range.Start.Line, list[0].Message); !strings.HasPrefix(got, want) && !strings.HasPrefix(got, "5:expected ), found acyclic") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	now = e.mark()
	e.change(file, text, 1000)
	e.diagnostics(now, file, none)
	// What a file lacks that another includes is not an error: the other may have it.
	common := filepath.Join(dir, "common.cat")
	e.open(common)
	now = e.mark()
	e.change(common, "let mine = rf & ext\nempty mine & theirs\n", 2)
	if list := e.diagnostics(now, common, severity(3)); len(list) != 1 || !strings.Contains(list[0].Message, "unbound name theirs; the files that include this one") {
		t.Errorf("%+v", list)
	}
	e.quit(0)
}

// TestEditorLitmus reads a test while it is typed, and runs it when it is saved.
func TestEditorLitmus(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../examples/sb.litmus")
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, dir, map[string]string{"sb.litmus": string(text)})
	file := filepath.Join(dir, "sb.litmus")
	e := startEditor(t)
	e.initialize(dir, nil)
	e.open(file)
	now := e.mark()
	e.change(file, strings.Replace(string(text), "exists", "exits", 1), 2)
	e.diagnostics(now, file, severity(1))
	now = e.mark()
	e.change(file, string(text), 3)
	e.diagnostics(now, file, none)
	now = e.mark()
	e.save(file, string(text))
	list := e.diagnostics(now, file, severity(3))
	line := strings.Count(string(text)[:strings.Index(string(text), "exists")], "\n")
	if list[0].Range.Start.Line != line || !strings.Contains(list[0].Message, "tso forbids this: none of 3 executions") {
		t.Errorf("%+v, want line %d", list, line)
	}
	e.quit(0)
}

// TestEditorCancel stops checks of a program that nobody waits for: by the next save, by the client, and by shutdown.
func TestEditorCancel(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	endless := "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nstatic void *run(void *arg) {\n\tfor (int i = 0; i < 9; i++)\n\t\tatomic_fetch_add(&x, 1);\n\treturn arg;\n}\n" +
		"int main(void) {\n\tpthread_t t[9];\n\tfor (int i = 0; i < 9; i++)\n\t\tpthread_create(&t[i], 0, run, 0);\n}\n"
	writeAll(t, dir, map[string]string{"x.c": endless, "y.c": wrongFlag})
	file := filepath.Join(dir, "x.c")
	e := startEditor(t)
	e.initialize(dir, map[string]any{"timeout": "10m"})
	e.open(file)
	now := e.mark()
	e.save(file, endless)
	e.progress(now, "report", "execution")
	now = e.mark()
	e.change(file, wrongFlag, 2)
	e.save(file, wrongFlag)
	e.progress(now, "end", "cancelled")
	e.diagnostics(now, file, severity(1))

	e.change(file, endless, 3)
	now = e.mark()
	e.save(file, endless)
	token, _ := e.progress(now, "report", "execution")
	e.notify("window/workDoneProgress/cancel", map[string]any{"token": token})
	e.progress(now, "end", "cancelled")

	now = e.mark()
	id := e.ask("workspace/executeCommand", map[string]any{"command": "ravel.check", "arguments": []string{fileURI(file)}})
	e.progress(now, "report", "execution")
	e.notify("$/cancelRequest", map[string]any{"id": id})
	if m := e.answer(id); m.Error == nil || m.Error.Code != -32800 {
		t.Errorf("%+v", m)
	}
	other := filepath.Join(dir, "y.c")
	e.open(other)
	var outcomes []struct{ Program, Model, Verdict string }
	e.call("workspace/executeCommand", map[string]any{"command": "ravel.check", "arguments": []string{fileURI(other)}}, &outcomes)
	if len(outcomes) != 1 || outcomes[0].Verdict != "error" || outcomes[0].Program != "y.c" || outcomes[0].Model != "rc11" {
		t.Errorf("%+v", outcomes)
	}
	now = e.mark()
	e.save(file, endless)
	e.progress(now, "report", "execution")
	e.quit(0) // which ends the run
}

// TestEditorRust checks a file of Rust, and the package of Cargo that another is in.
func TestEditorRust(t *testing.T) {
	if testing.Short() {
		t.Skip("the standard library of Rust takes long")
	}
	if !hasProgram("cargo") || !hasProgram("rustc") {
		t.Skip("no Rust")
	}
	dir := t.TempDir()
	wrong := "fn main() {\n    assert_eq!(p::twice(2), 5);\n}\n"
	writeAll(t, dir, map[string]string{
		"p/Cargo.toml":      "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"p/src/lib.rs":      "pub fn twice(n: u32) -> u32 {\n    2 * n\n}\n",
		"p/examples/one.rs": wrong,
	})
	file := filepath.Join(dir, "p/examples/one.rs")
	e := startEditor(t)
	e.initialize(dir, map[string]any{"suggest": false})
	e.open(file)
	now := e.mark()
	e.save(file, wrong)
	if list := e.diagnostics(now, file, severity(1)); list[0].Range.Start.Line != 1 || list[0].Code != "assertion" {
		t.Errorf("%+v", list)
	}
	now = e.mark()
	e.save(file, strings.Replace(wrong, "twice", "thrice", 1))
	e.diagnostics(now, file, func(l []lspDiagnostic) bool {
		return len(l) == 1 && l[0].Range.Start.Line == 1 && strings.Contains(l[0].Message, "cannot find function `thrice`")
	})
	e.quit(0)
}

// TestEditorJava: a program in Java is checked when it is saved, and javac's messages are shown at their lines.
func TestEditorJava(t *testing.T) {
	if testing.Short() {
		t.Skip("runs javac")
	}
	if !hasProgram("javac") {
		t.Skip("no javac on PATH")
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "Mailbox.java"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "Mailbox.java")
	writeAll(t, dir, map[string]string{"Mailbox.java": string(text)})
	e := startEditor(t)
	e.initialize(dir, nil)
	e.open(file)
	now := e.mark()
	e.save(file, string(text))
	list := e.diagnostics(now, file, severity(1))
	if d := list[0]; d.Code != "assertion" || d.Range.Start.Line != 29 || !strings.HasSuffix(d.Message, "(jam21)") {
		t.Errorf("%+v", d)
	}
	now = e.mark()
	e.save(file, strings.ReplaceAll(string(text), "letter = v;", "letter = w;"))
	list = e.diagnostics(now, file, func(list []lspDiagnostic) bool {
		return slices.ContainsFunc(list, func(d lspDiagnostic) bool { return strings.Contains(d.Message, "cannot find symbol") })
	})
	if d := list[0]; d.Range.Start.Line != 20 {
		t.Errorf("%+v", d)
	}
	e.quit(0)
}

// TestEditorHover asks about accesses in all languages, without a check.
func TestEditorHover(t *testing.T) {
	dir := t.TempDir()
	e := startEditor(t)
	e.initialize(dir, nil)
	for _, test := range []struct{ file, text, mark, want string }{
		{"a.c", "void f(void) { atomic_fetch_add(&x, g(1)); }", "&x", "seq_cst read-modify-write"},
		{"b.c", "void f(void) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }", "__ATOMIC", "acq_rel fence"},
		{"c.c", "void f(void) { smp_store_release(&x, 1); }", "&x", "release store"},
		{"d.c", "void f(void) { // atomic_load(&x)\n}", "&x", ""},
		{"e.c", "void f(void) { atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_relaxed); }", "&e", "If it fails, it is a load with the order relaxed."},
		{"f.cpp", "void f() { q.head.compare_exchange_weak(h, n, std::memory_order_acq_rel); }", "h, n", "If it fails, it is a load with the order acquire."},
		{"g.rs", "fn f() { X.store(1, Ordering::SeqCst); }", "SeqCst", "seq_cst store"},
		{"h.java", "class X { void f() { H.setRelease(this, 1); VarHandle.fullFence(); } }", "setRelease", "release store"},
		{"i.java", "class X { void f() { H.setRelease(this, 1); VarHandle.fullFence(); } }", "fullFence", "volatile fence"},
		{"j.litmus", "C x\n{ }\nP0(atomic_int *x) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\nexists (x=1)\n", "atomic_store", "relaxed store"},
		{"l.litmus", "X86_64 SB\n{ }\n P0 | P1 ;\n movl $1,(x) | mfence ;\nexists (x=1)\n", "mfence", "The store buffer is emptied"},
		{"m.litmus", "X86_64 SB\n{ }\n P0 | P1 ;\n movl $1,(x) | mfence ;\nexists (x=1)\n", "movl", ""},
		{"n.litmus", "AArch64 MP\n{ }\n P0 | P1 ;\n DMB  ISHLD | L0: STLR W0,[X1] ;\nexists (x=1)\n", "ISHLD", "Loads before it are performed before accesses after it"},
		{"o.litmus", "AArch64 MP\n{ }\n P0 | P1 ;\n DMB  ISHLD | L0: STLR W0,[X1] ;\nexists (x=1)\n", "STLR", "It releases"},
		{"p.litmus", "RISCV MP\n{ }\n P0 | P1 ;\n fence rw,w | amoswap.w.aq.rl x5,x6,(x7) ;\nexists (x=1)\n", "amoswap", "acquires and releases"},
		{"k.txt", "atomic_load(&x)", "&x", ""},
	} {
		writeAll(t, dir, map[string]string{test.file: test.text})
		file := filepath.Join(dir, test.file)
		e.open(file)
		if got := e.hover(file, test.text, test.mark); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
	e.quit(0)
}

// TestEditorBurst sends all messages in one go, and ends the input: all requests are answered before the server ends.
func TestEditorBurst(t *testing.T) {
	for _, params := range []string{`{"capabilities":{}}`, `[]`} {
		e := startEditor(t)
		_, _ = io.WriteString(e.in, frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+params+`}`)+frame(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)+
			frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{}}`)+frame(`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`)+frame(`{"jsonrpc":"2.0","method":"exit"}`))
		_ = e.in.Close()
		for id := 1; id <= 3; id++ {
			e.answer(id)
		}
		if status := e.status(); status != 0 {
			t.Errorf("%s: status %d: %s", params, status, e.errs.String())
		}
	}
}

// TestEditorBadInput sends what no client should: the server answers with an error, or ends with a message, and never panics.
func TestEditorBadInput(t *testing.T) {
	hello := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	bye := frame(`{"jsonrpc":"2.0","id":98,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`)
	for _, test := range []struct {
		name, send string
		status     int
		id         int // of the request that has an error; -1 for the error of no request
		code       int
		stderr     string
	}{
		{"before initialize", frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{}}`) + hello + bye, 0, 7, -32002, ""},
		{"notification before initialize", frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`) + hello + bye, 0, 0, 0, ""},
		{"twice", hello + strings.Replace(hello, `"id":1`, `"id":7`, 1) + bye, 0, 7, -32600, ""},
		{"unknown method", hello + frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/unheard"}`) + bye, 0, 7, -32601, ""},
		{"unknown notification", hello + frame(`{"jsonrpc":"2.0","method":"$/unheard","params":{"a":1}}`) + bye, 0, 0, 0, ""},
		{"wrong parameters", hello + frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"position":[]}}`) + bye, 0, 7, -32602, ""},
		{"no JSON", hello + frame(`{"jsonrpc":`) + bye, 0, -1, -32700, ""},
		{"wrong settings", frame(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"timeout":"soon"}}}`) + bye, 0, 0, 0, ""},
		{"after shutdown", hello + frame(`{"jsonrpc":"2.0","id":6,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{}}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`), 0, 0, 0, ""},
		{"a file that is not open", hello + frame(`{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"ravel.check","arguments":["file:///x.c"]}}`) + bye, 0, 7, -32602, ""},
		{"positions out of range", hello + frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.c","version":1,"text":"x"}}}`) +
			frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x.c","version":2},"contentChanges":[{"range":{"start":{"line":9,"character":9},"end":{"line":-1,"character":-5}},"text":"y"}]}}`) +
			frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.c"},"position":{"line":99,"character":-1}}}`) + bye, 0, 0, 0, ""},
		{"exit without shutdown", hello + frame(`{"jsonrpc":"2.0","method":"exit"}`), 1, 0, 0, "without shutdown"},
		{"the end", hello, 1, 0, 0, "without exit"},
		{"no header", "hello\r\n\r\n", 1, 0, 0, "Content-Length"},
		{"no length", "Content-Type: x\r\n\r\n{}", 1, 0, 0, "no Content-Length"},
		{"negative length", "Content-Length: -5\r\n\r\n{}", 1, 0, 0, "Content-Length: -5"},
		{"huge length", "Content-Length: 99999999999999\r\n\r\n{}", 1, 0, 0, "a message has from 0 to"},
		{"half a message", "Content-Length: 100\r\n\r\n{}", 1, 0, 0, "100 bytes"},
		{"long header", strings.Repeat("x", 1<<20), 1, 0, 0, "header"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := startEditor(t)
			send, ending := test.send, ""
			if head, ok := strings.CutSuffix(send, bye); ok && test.id != 0 {
				send, ending = head, bye
			}
			go func() { // the server may end before it has read all
				_, _ = io.WriteString(e.in, send)
				if !strings.Contains(test.send, `"exit"`) {
					_ = e.in.Close()
				}
			}()
			if test.id != 0 {
				id := max(test.id, 0)
				if m := e.answer(id); m.Error == nil || m.Error.Code != test.code {
					t.Errorf("%+v", m)
				}
			}
			if ending != "" {
				_, _ = io.WriteString(e.in, ending)
			}
			if status := e.status(); status != test.status || !strings.Contains(e.errs.String(), test.stderr) || strings.Contains(e.errs.String(), "goroutine") {
				t.Errorf("status %d, want %d and %q:\n%s", status, test.status, test.stderr, e.errs.String())
			}
		})
	}
}
