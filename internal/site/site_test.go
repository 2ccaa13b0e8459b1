package site

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ravel/internal/web"
	"ravel/internal/web/webtest"
)

// maxWasm is how large the WebAssembly may be, compressed.
const maxWasm = 6_000_000

// TestSite makes the site and uses it in a browser.
func TestSite(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles ravel for the browser")
	}
	dir := t.TempDir()
	wasm := filepath.Join(t.TempDir(), "ravel.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "ravel/cmd/ravel-wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir, Options{Wasm: code, Version: "test", Note: func(s string) { t.Log(s) }}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "play", "ravel.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ravel.wasm.gz has %d bytes", info.Size())
	if info.Size() > maxWasm {
		t.Errorf("ravel.wasm.gz has %d bytes, more than %d", info.Size(), maxWasm)
	}
	t.Run("links", func(t *testing.T) { checkLinks(t, dir) })
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	b := webtest.Start(t)
	t.Run("page", func(t *testing.T) { usePage(t, b, server.URL) })
	t.Run("documents", func(t *testing.T) { useDocuments(t, b, server.URL) })
}

// TestWasmExec: the glue between Go and the browser is that of the Go that compiles.
func TestWasmExec(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Skip(err)
	}
	have, err := fs.ReadFile(web.Assets(), "wasm_exec.js")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Error("internal/web/assets/wasm_exec.js is of another version of Go: copy it from $(go env GOROOT)/lib/wasm")
	}
}

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// checkLinks: every link inside the site leads somewhere.
func checkLinks(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			to, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			file := name
			if to != "" {
				file = filepath.Join(filepath.Dir(name), filepath.FromSlash(path.Clean(to)))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s leads nowhere", filepath.Base(name), m[1])
				continue
			}
			if fragment != "" && !strings.HasPrefix(fragment, "example=") && fragment != "right" {
				there, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				if id, err := url.PathUnescape(fragment); err != nil || !strings.Contains(string(there), `id="`+id+`"`) {
					t.Errorf("%s: there is no place %s", filepath.Base(name), m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

const answered = "!document.querySelector('#right').hasAttribute('aria-busy') && document.querySelector('.verdict')"

func usePage(t *testing.T, b *webtest.Browser, address string) {
	tab := b.Open(t, address+"/play/index.html#example=sb", false)
	tab.Wait("'ready' in document.documentElement.dataset")
	tab.Click("#run")
	tab.Wait(answered)
	if got := tab.Text(".verdict h2"); got != "Allowed under tso" {
		t.Errorf("verdict %q", got)
	}
	paint := tab.Eval("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
	first := tab.Eval("(m => [m.startTime, m.startTime + m.duration])(performance.getEntriesByName('ravel-answer')[0])").([]any) // on the page's own clock, from when it was asked for
	tab.Click("#run")
	tab.Wait(answered)
	again := tab.Eval("performance.getEntriesByName('ravel-answer').at(-1).duration")
	t.Logf("first paint after %.0f ms, run clicked after %.0f ms, first answer of WebAssembly after %.0f ms, the next one in %.0f ms", paint, first[0], first[1], again)
	if foreign := tab.Eval("performance.getEntriesByType('resource').filter(r => !r.name.startsWith(location.origin)).length"); foreign != 0.0 {
		t.Errorf("%v requests to elsewhere", foreign)
	}
	// Every example that is there.
	for _, e := range web.Examples() {
		if tab.Count("#example option[value='"+e.ID+"']:not([disabled])") == 0 {
			if e.Language != "Rust" {
				t.Logf("%s is not there", e.ID)
			}
			continue
		}
		tab.Eval("(() => { document.querySelector('#answer').replaceChildren(); const s = document.querySelector('#example'); s.value = '" + e.ID + "'; s.dispatchEvent(new Event('change')) })()")
		tab.Wait(answered)
		if got := tab.Eval("document.querySelector('.verdict').dataset.tone"); got != e.Tone {
			t.Errorf("%s: tone %v, want %s: %s", e.ID, got, e.Tone, tab.Text("#answer"))
		}
	}
	// A test that takes long is stopped, and the next one runs.
	tab.Eval("(() => { const s = document.querySelector('#example'); s.value = 'sb'; s.dispatchEvent(new Event('change')) })()")
	tab.Wait(answered)
	tab.Type(long())
	tab.Click("#run")
	tab.Wait("document.querySelector('#run').innerText == 'Stop'")
	time.Sleep(300 * time.Millisecond)
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'Stopped'")
	tab.Type("X86 again\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'Allowed under tso'")
	// The model beside the test, and a comparison.
	tab.Eval("(() => { const s = document.querySelector('#example'); s.value = 'sb'; s.dispatchEvent(new Event('change')) })()")
	tab.Wait(answered)
	tab.Click("#add-model")
	tab.Wait("document.querySelector('.cm-content').innerText.includes('acyclic')")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'Allowed under my-tso'")
}

// long is a test with too many executions.
func long() string {
	const threads = 6
	rows := make([]string, 0, 10)
	row := func(cell string) { rows = append(rows, " "+strings.Repeat(cell+" | ", threads-1)+cell+" ;") }
	var heads []string
	for i := range threads {
		heads = append(heads, "P"+string(rune('0'+i)))
	}
	rows = append(rows, "X86 long", "{ x=0; }", " "+strings.Join(heads, " | ")+" ;")
	for _, v := range []string{"1", "2", "3", "4"} {
		row("MOV [x],$" + v)
		row("MOV EAX,[x]")
	}
	return strings.Join(append(rows, "exists (0:EAX=9)"), "\n") + "\n"
}

func useDocuments(t *testing.T, b *webtest.Browser, address string) {
	tab := b.Open(t, address+"/litmus.html", false)
	tab.Wait("document.querySelector('main h1')")
	tab.Shot("site")
	tab.Click("a.run")
	tab.Wait("'ready' in document.documentElement.dataset")
	tab.Click("#run")
	tab.Wait(answered)
	tab = b.Open(t, address+"/tutorial.html", true)
	if tab.Count("a.run") < 3 {
		t.Errorf("%d commands of the tutorial can be run", tab.Count("a.run"))
	}
}
