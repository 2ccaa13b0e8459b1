// Package webtest drives Debian's chromium for tests of the page. It is for tests only.
package webtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("screenshots", "", "write the screenshots of the documents to this folder")

// A Browser is a chromium without a window.
type Browser struct {
	ctx context.Context
}

// Start starts a browser for a test, which is skipped if there is none.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	dir := t.TempDir()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(patience),
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel2 := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until it has ended
		cancel2()
		cancel()
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &Browser{ctx}
}

// A Tab is one page. At the end of its test it fails if the page wrote an error to the console.
type Tab struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	errors []string
	// Expected are parts of messages on the console that are not failures.
	Expected []string
}

// Open opens a tab, as large as a window that people have.
func (b *Browser) Open(t *testing.T, url string, dark bool) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	ctx, cancel2 := context.WithTimeout(ctx, 4*patience)
	tab := &Tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		tab.check()
		cancel2()
		cancel()
	})
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			tab.note(e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				for _, a := range e.Args {
					tab.note(string(a.Value) + a.Description)
				}
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				tab.note(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	tab.Run(log.Enable(), runtime.Enable(), emulation.SetDeviceMetricsOverride(1440, 900, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}), chromedp.Navigate(url))
	return tab
}

func (tab *Tab) note(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.errors = append(tab.errors, text)
}

func (tab *Tab) check() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
next:
	for _, e := range tab.errors {
		for _, x := range tab.Expected {
			if strings.Contains(e, x) {
				continue next
			}
		}
		tab.t.Errorf("the console says: %s", e)
	}
}

// Run does something in the tab.
func (tab *Tab) Run(actions ...chromedp.Action) {
	tab.t.Helper()
	if err := chromedp.Run(tab.ctx, actions...); err != nil {
		tab.t.Fatal(err)
	}
}

// Eval returns the value of an expression in JavaScript.
func (tab *Tab) Eval(js string) any {
	tab.t.Helper()
	var v any
	tab.Run(chromedp.Evaluate(js, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// Text returns the text of the first element that a selector finds, "" if there is none.
func (tab *Tab) Text(selector string) string {
	tab.t.Helper()
	s, _ := tab.Eval(fmt.Sprintf("document.querySelector(%s)?.innerText ?? ''", quote(selector))).(string)
	return s
}

// Count returns how many elements a selector finds.
func (tab *Tab) Count(selector string) int {
	tab.t.Helper()
	n, _ := tab.Eval(fmt.Sprintf("document.querySelectorAll(%s).length", quote(selector))).(float64)
	return int(n)
}

// patience is how long tests wait for what must happen. Only a test that fails waits so long: it must be enough for the slowest machine.
const patience = 5 * time.Minute

// Wait waits until an expression is true.
func (tab *Tab) Wait(js string) {
	tab.t.Helper()
	for begin := time.Now(); tab.Eval("(() => { try { return !!("+js+") } catch { return false } })()") != true; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > patience {
			tab.t.Fatalf("not after %v: %s\nthe answer: %s\nthe console: %q", patience, js, tab.Text("#answer"), tab.errors)
		}
	}
}

// Click clicks the first element that a selector finds, as a user does.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.Wait(fmt.Sprintf("document.querySelector(%s)", quote(selector)))
	tab.Run(chromedp.ScrollIntoView(selector, chromedp.ByQuery), chromedp.Click(selector, chromedp.ByQuery))
}

// Press types keys, which go to what has the focus.
func (tab *Tab) Press(keys ...string) {
	tab.t.Helper()
	for _, k := range keys {
		tab.Run(chromedp.KeyEvent(k))
	}
}

// Ctrl types a key with Control.
func (tab *Tab) Ctrl(key string) {
	tab.t.Helper()
	tab.Run(chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierCtrl)))
}

// Keys by name.
const (
	TabKey = kb.Tab
	Enter  = kb.Enter
	Escape = kb.Escape
	Left   = kb.ArrowLeft
	Right  = kb.ArrowRight
	Up     = kb.ArrowUp
	Down   = kb.ArrowDown
)

// Type puts a text in place of what the editor has, as a paste does.
func (tab *Tab) Type(text string) {
	tab.t.Helper()
	tab.Click(".cm-content")
	tab.Ctrl("a")
	tab.Eval(fmt.Sprintf(`(() => { const d = new DataTransfer(); d.setData("text/plain", %s); document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})) })()`, quote(text)))
}

// Shot takes a screenshot for the documents, if they are made.
func (tab *Tab) Shot(name string) {
	tab.t.Helper()
	if *shots == "" {
		return
	}
	tab.Run(chromedp.ActionFunc(func(ctx context.Context) error {
		png, err := page.CaptureScreenshot().Do(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644)
	}))
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // it is a string
	}
	return string(text)
}
