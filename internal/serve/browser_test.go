package serve

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"ravel"
	"ravel/internal/web"
	"ravel/internal/web/webtest"
)

// TestBrowser uses the page as people do. No step may write an error to the console.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a browser")
	}
	b := webtest.Start(t)
	_, url := start(t, nil)
	open := func(t *testing.T, hash string) *webtest.Tab {
		t.Helper()
		tab := b.Open(t, url+"/"+hash, false)
		tab.Wait("'ready' in document.documentElement.dataset")
		return tab
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, func(*testing.T, string) *webtest.Tab)
	}{
		{"load", browserLoad},
		{"examples", browserExamples},
		{"edit and run", browserEdit},
		{"several files", browserFiles},
		{"step and relations", browserStep},
		{"dependencies", browserDependencies},
		{"outcomes", browserOutcomes},
		{"suggestion", browserSuggestion},
		{"model beside the test", browserCat},
		{"smallest difference", browserFind},
		{"permalink", browserLink},
		{"cancel", browserCancel},
		{"error in the source", browserError},
		{"keyboard", browserKeyboard},
		{"large graph", browserLarge},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open) })
	}
	t.Run("dark", func(t *testing.T) { browserDark(t, b, url) })
	t.Run("server gone", func(t *testing.T) { browserGone(t, b) })
}

const answered = "!document.querySelector('#right').hasAttribute('aria-busy') && document.querySelector('.verdict')"

func browserLoad(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "")
	if got := tab.Text(".welcome h2"); got == "" {
		t.Error("the page does not say what it is for")
	}
	if n := tab.Count("#example option"); n != len(web.Examples())+1 {
		t.Errorf("%d examples, want %d", n, len(web.Examples())+1)
	}
	paint, _ := tab.Eval("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1").(float64)
	t.Logf("first paint after %.0f ms", paint)
	if foreign := tab.Eval("performance.getEntriesByType('resource').filter(r => !r.name.startsWith(location.origin)).length"); foreign != 0.0 {
		t.Errorf("%v requests to elsewhere", foreign)
	}
	if shift := tab.Eval("new Promise(r => { let s = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) s += e.value }).observe({type: 'layout-shift', buffered: true}); setTimeout(() => r(s), 300) })"); shift.(float64) > 0.05 {
		t.Errorf("the layout shifts by %v", shift)
	}
}

// browserExamples runs every example, by the menu.
func browserExamples(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "")
	for _, e := range web.Examples() {
		switch {
		case e.Language == "Rust" && !ravel.HasCompiler("rust"), e.ID == "mailbox" && !ravel.HasCompiler("java"), (e.Language == "C" || e.Language == "C++") && !ravel.HasCompiler("c"):
			t.Logf("%s: there is no compiler for %s", e.ID, e.Language)
			continue
		}
		tab.Eval(fmt.Sprintf("(() => { const s = document.querySelector('#example'); s.value = %q; s.dispatchEvent(new Event('change')) })()", e.ID))
		tab.Wait(answered)
		if got := tab.Eval("document.querySelector('.verdict').dataset.tone"); got != e.Tone {
			t.Errorf("%s: tone %v, want %s: %s", e.ID, got, e.Tone, tab.Text("#answer"))
		}
		if e.Tone != "good" && tab.Count(".picture") == 0 {
			t.Errorf("%s: there is no picture", e.ID)
		}
		if e.ID == "mp" {
			tab.Shot("page")
		}
		if e.ID == "dekker" {
			if got, want := tab.Text(".verdict p"), "The weakest model that holds: sc."; !strings.Contains(got, want) {
				t.Errorf("dekker: %q, want %q", got, want)
			}
			tab.Shot("models")
		}
	}
}

const racy = `#include <pthread.h>
int shared;
static void *add(void *unused) { shared = shared + 1; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
`

func browserEdit(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "")
	tab.Type(racy)
	tab.Ctrl(webtest.Enter)
	tab.Wait(answered)
	if got := tab.Text(".verdict h2"); got != "Data race" {
		t.Errorf("verdict %q", got)
	}
	tab.Wait("document.querySelectorAll('.cm-lintRange').length > 0")
	if got := tab.Eval("document.querySelector('#example').value"); got != "" {
		t.Errorf("the menu still shows the example %v", got)
	}
	tab.Type(strings.ReplaceAll(racy, "int shared", "_Atomic int shared"))
	tab.Click("#run")
	tab.Wait(answered + "&& document.querySelector('.verdict.good')")
	if tab.Count("[data-execution]") < 2 || tab.Count(".picture") != 1 {
		t.Errorf("a program without errors shows %d executions", tab.Count("[data-execution]"))
	}
}

// browserFiles adds a header and a second source to a program, follows an error into the header, and opens all of it by a link.
func browserFiles(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Type("#include \"lib/count.h\"\n#include <assert.h>\nint main(void) { assert(count() == LIMIT); return 0; }\n")
	add := func(tab *webtest.Tab, name, text string) {
		t.Helper()
		tab.Click("#add-file")
		tab.Wait("document.activeElement.id == 'new-file'")
		tab.Press(strings.Split(name, "")...)
		tab.Press(webtest.Enter)
		if text != "" {
			tab.Type(text)
		}
	}
	add(tab, "../count.h", "")
	if got := tab.Text("#toast"); !strings.Contains(got, "A name such as") {
		t.Errorf("a name that is none: %q", got)
	}
	tab.Press(webtest.Escape)
	add(tab, "lib/count.h", "int count(void);\n#define LIMIT nothing\n")
	add(tab, "count.c", "#include \"lib/count.h\"\nint count(void) { return 3; }\n")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'There is an error in the source'")
	tab.Click("#tab1")
	tab.Type("int count(void);\n#define LIMIT 3\n")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict.good')")
	tab.Click("#share")
	tab.Wait("location.hash.startsWith('#1')")
	other := open(t, tab.Eval("location.hash").(string))
	if got := other.Count("#tabs [role=tab]"); got != 3 {
		t.Errorf("the link has %d files", got)
	}
	other.Click("#run")
	other.Wait("document.querySelector('.verdict.good')")
	other.Click("#tab2")
	other.Click("#tabs .close")
	if got := other.Count("#tabs [role=tab]"); got != 2 {
		t.Errorf("%d files after one was removed", got)
	}
	other.Click("#run")
	other.Wait("document.querySelector('#answer')?.innerText.includes('count')")
	if ravel.HasCompiler("rust") { // the second file is a module of the first
		tab = open(t, "#example=once")
		tab.Type("mod part;\nfn main() { assert!(part::three() == 3); }\n")
		add(tab, "part.rs", "pub fn three() -> u32 { 3 }\n")
		tab.Click("#run")
		tab.Wait("document.querySelector('.verdict.good')")
	}
}

// browserDependencies shows dependencies of a program under a processor's model, and says why an edge is there.
func browserDependencies(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Type("#include <assert.h>\n#include <stdatomic.h>\natomic_int x, y;\nint main(void)\n{\n    int r = atomic_load_explicit(&x, memory_order_relaxed);\n    atomic_store_explicit(&y, r + 1, memory_order_relaxed);\n    assert(y == 0);\n}\n")
	tab.Click("#models")
	tab.Click("#models-box input[value=rc11]")
	tab.Click("#models-box input[value=armv8]")
	tab.Press(webtest.Escape)
	tab.Click("#run")
	tab.Wait(answered + "&& document.querySelector('.picture svg.rv')")
	drawn := func() int { return tab.Count("g.rv-edge[data-rel=data]:not(.off)") }
	if drawn() != 0 {
		t.Error("dependencies are drawn before they are asked for")
	}
	tab.Click(".bar [data-rel=data]")
	if drawn() != 1 {
		t.Errorf("%d dependencies, want 1", drawn())
	}
	tab.Eval("document.querySelector('g.rv-edge[data-rel=data]').dispatchEvent(new PointerEvent('pointerenter'))")
	if got := tab.Text(".why"); !strings.Contains(got, "the value depends on it") {
		t.Errorf("the reason of an edge is %q", got)
	}
}

func browserStep(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Click("#run")
	tab.Wait(answered + "&& document.querySelector('.picture svg.rv')")
	rows := tab.Count(".rv-event")
	if rows < 4 {
		t.Fatalf("%d events", rows)
	}
	for i := 1; i <= 3; i++ {
		tab.Click(".steps [data-step=next]")
		if got, want := tab.Text(".steps output"), fmt.Sprintf("%d / %d", i, rows); got != want {
			t.Errorf("step %q, want %q", got, want)
		}
		if n := tab.Count(".rv-event.later"); n != rows-i {
			t.Errorf("after step %d, %d events are dim, want %d", i, n, rows-i)
		}
	}
	if tab.Count(".cm-now") != 1 {
		t.Error("the editor does not show the line of the step")
	}
	tab.Shot("step")
	tab.Click(".steps [data-step=back]")
	if got := tab.Text(".steps output"); !strings.HasPrefix(got, "2 /") {
		t.Errorf("back: step %q", got)
	}
	tab.Click(".steps button:last-child")
	if n := tab.Count(".later"); n != 0 {
		t.Errorf("%d elements are dim", n)
	}
	// Relations: rf is there, goes and comes; hb is there if asked for.
	drawn := func(rel string) int {
		return tab.Count("g.rv-edge.rv-" + rel + ":not(.off)")
	}
	if drawn("rf") == 0 {
		t.Error("rf is not drawn")
	}
	tab.Click(".bar [data-rel=rf]")
	if drawn("rf") != 0 || tab.Eval("document.querySelector('.bar [data-rel=rf]').getAttribute('aria-pressed')") != "false" {
		t.Error("rf is still drawn")
	}
	tab.Click(".bar [data-rel=rf]")
	if drawn("rf") == 0 {
		t.Error("rf does not come back")
	}
	before := drawn("other")
	tab.Click(".bar [data-rel=hb]")
	if before != 0 || drawn("other") == 0 {
		t.Errorf("hb: %d edges, then %d", before, drawn("other"))
	}
	// An edge says why it is there.
	tab.Eval("document.querySelector('g.rv-edge.rv-rf').dispatchEvent(new PointerEvent('pointerenter'))")
	if got := tab.Text(".why"); !strings.Contains(got, "rf: ") || !strings.Contains(got, "reads ready = 1") {
		t.Errorf("the reason of an edge is %q", got)
	}
	tab.Click(".views [data-view=columns]")
	if tab.Count("table.columns tbody tr") != rows || tab.Count("table.columns .bad") == 0 {
		t.Error("the columns do not show the execution")
	}
	tab.Click(".views [data-view=text]")
	if got := tab.Text(".stage pre"); !strings.Contains(got, "error[race]") {
		t.Errorf("the text is %q", got)
	}
}

func browserOutcomes(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "#example=sb-fence")
	tab.Click("#run")
	tab.Wait(answered)
	if allowed, forbidden := tab.Count(".tag.yes"), tab.Count(".tag.no"); allowed != 3 || forbidden != 1 {
		t.Errorf("%d outcomes allowed, %d forbidden, want 3 and 1", allowed, forbidden)
	}
	if tab.Count("g.rv-cycle") != 4 { // two of po, two of fr
		t.Errorf("%d edges of the cycle", tab.Count("g.rv-cycle"))
	}
	tab.Eval("document.querySelector('g.rv-cycle').dispatchEvent(new PointerEvent('pointerenter'))")
	if got := tab.Text(".why"); !strings.Contains(got, "part of the cycle that") {
		t.Errorf("the reason of an edge of the cycle is %q", got)
	}
	if got := tab.Text(".notes"); !strings.Contains(got, "Forbidden by") {
		t.Errorf("notes %q", got)
	}
	tab.Shot("forbidden")
	tab.Click("[data-outcome='0']")
	tab.Wait("document.querySelectorAll('.rv-event').length && !document.querySelector('g.rv-cycle')")
}

func browserSuggestion(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Click("#run")
	tab.Wait(answered + "&& document.querySelector('[data-apply]')")
	tab.Click("[data-apply]")
	if got := tab.Text(".cm-content"); !strings.Contains(got, "memory_order_release") {
		t.Errorf("the program is %s", got)
	}
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict.good')")
}

func browserCat(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "#example=cat")
	tab.Click("#tab1")
	tab.Type("\"Mine\"\ninclude \"cos.cat\"\nacyclic po | rf | co as weak\n")
	tab.Click("#run")
	tab.Wait(answered)
	if got := tab.Text(".verdict h2"); got != "Allowed under my-sc" {
		t.Errorf("verdict %q", got)
	}
	tab.Type("\"Mine\"\nacyclic po | nonsense as weak\n")
	tab.Click("#run")
	tab.Wait("document.querySelector('#answer pre')?.innerText.includes('nonsense')")
	tab.Wait("document.querySelectorAll('.cm-lintRange-error').length > 0")
	// The text of a model of ours, to be changed.
	tab = open(t, "#example=sb")
	tab.Click("#add-model")
	tab.Wait("document.querySelector('.cm-content').innerText.includes('acyclic')")
	tab.Click("#run")
	tab.Wait(answered)
	if got := tab.Text(".verdict h2"); got != "Allowed under my-tso" {
		t.Errorf("verdict %q", got)
	}
}

func browserFind(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "#example=sb")
	tab.Click("#models")
	tab.Click("#models-box input[value=sc]")
	tab.Click("#models-box input[value=tso]")
	tab.Press(webtest.Escape)
	tab.Click("#run")
	tab.Wait(answered)
	if got := tab.Text(".verdict h2"); got != "The models differ" {
		t.Errorf("verdict %q", got)
	}
	if got := tab.Text(".notes"); !strings.Contains(got, "Forbidden by sc: sc: P0 ") || !strings.Contains(got, "→ po → P") {
		t.Errorf("the cycle is told as %q", got)
	}
	tab.Shot("compare")
	tab.Click("#find")
	tab.Wait("document.querySelector('.verdict h2')?.innerText.startsWith('The smallest test')")
	tab.Wait(answered) // the verdict is there before the run has ended
	tab.Click(".verdict button")
	tab.Wait("document.querySelector('#tab0').innerText.endsWith('.litmus') && document.querySelector('.verdict h2')?.innerText == 'The models differ'")
}

func browserLink(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	tab := open(t, "#example=iriw")
	tab.Type("C permalink é\n{}\nP0 (int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n")
	tab.Click("#share")
	tab.Wait("location.hash.startsWith('#1')")
	hash := tab.Eval("location.hash").(string)
	other := open(t, hash)
	if got := other.Text(".cm-content"); !strings.Contains(got, "C permalink é") {
		t.Errorf("the link has %q", got)
	}
	if got := other.Text("#models-text"); got != "sc, rc11" {
		t.Errorf("the link has the models %q", got)
	}
	broken := open(t, hash[:len(hash)/2])
	if got := broken.Text(".cm-content"); got == "" {
		t.Error("a broken link shows nothing")
	}
}

func browserCancel(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Type(endless)
	tab.Click("#run")
	tab.Wait("/execution/.test(document.querySelector('#status').innerText)")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'Stopped'")
	if got := tab.Text("#run"); got != "Run" {
		t.Errorf("the button says %q", got)
	}
	tab.Press(webtest.Escape) // nothing runs
	tab.Click("#run")
	tab.Wait("document.querySelector('#run').innerText == 'Stop'")
	tab.Press(webtest.Escape)
	tab.Wait("document.querySelector('#run').innerText == 'Run'")
}

func browserError(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Type("int main(void)\n{\n    return nothing;\n}\n")
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'There is an error in the source'")
	tab.Wait("document.querySelectorAll('.cm-lintRange-error').length == 1")
	tab.Click(".verdict .place")
	if got := tab.Eval("document.activeElement.classList.contains('cm-content')"); got != true {
		t.Error("the place does not lead to the editor")
	}
	tab.Shot("error")
	tab = open(t, "#example=sb")
	tab.Type("X86 broken\n{ x=0; }\n P0 ;\n FROB ;\nexists (x=1)\n")
	tab.Click("#run")
	tab.Wait("document.querySelectorAll('.cm-lintRange-error').length == 1")
	if ravel.HasCompiler("rust") {
		tab = open(t, "#example=once")
		tab.Type("fn main() { let x: u32 = \"a\"; }\n")
		tab.Click("#run")
		tab.Wait("document.querySelectorAll('.cm-lintRange-error').length == 1")
	}
}

// browserKeyboard uses no mouse: from the top of the page to an event of the execution and its place in the source.
func browserKeyboard(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	focus := func() string {
		s, _ := tab.Eval("(() => { const e = document.activeElement; return e.id || e.dataset?.row || e.className })()").(string)
		return s
	}
	seen := map[string]bool{}
	until := func(want string) {
		t.Helper()
		for range 60 {
			tab.Press(webtest.TabKey)
			f := focus()
			seen[f] = true
			if strings.Contains(f, want) {
				if outline := tab.Eval("(() => { const e = document.activeElement, s = getComputedStyle(e); return s.outlineStyle != 'none' || s.boxShadow != 'none' || e.matches('.cm-content, #split, .rv-event') })()"); outline != true {
					t.Errorf("the focus on %s is not visible", want)
				}
				return
			}
		}
		t.Fatalf("Tab does not lead to %s, but to %v", want, seen)
	}
	until("skip")
	until("example")
	until("models")
	tab.Press(webtest.Enter)
	if tab.Eval("document.activeElement.closest('#models-box') != null") != true {
		t.Error("the focus is not in the list of models")
	}
	tab.Press(" ", webtest.Escape)
	if focus() != "models" {
		t.Errorf("after Escape the focus is on %s", focus())
	}
	until("run")
	tab.Press(webtest.Enter)
	tab.Wait(answered)
	until("tab0")
	until("cm-content")
	until("split")
	until("1") // the first event
	tab.Press(webtest.Right, webtest.Right)
	if got := tab.Text(".steps output"); !strings.HasPrefix(got, "3 /") {
		t.Errorf("after two steps: %q", got)
	}
	tab.Press(webtest.Enter)
	if tab.Count(".rv-event.at") != 1 || tab.Count(".cm-now") != 1 {
		t.Error("Enter does not show the event")
	}
	if label := tab.Eval("document.activeElement.getAttribute('aria-label')"); !strings.Contains(fmt.Sprint(label), "event 3 of") {
		t.Errorf("a screen reader hears %v", label)
	}
	for _, what := range []string{"button", "select", "input", "[role=separator]", "[role=tab]"} {
		if n := tab.Eval(fmt.Sprintf("[...document.querySelectorAll(%q)].filter(e => !(e.getAttribute('aria-label') || e.innerText?.trim() || e.closest('label') || e.title)).length", what)); n != 0.0 {
			t.Errorf("%v of %s have no name", n, what)
		}
	}
}

// large is a program whose counterexample has more than 200 events that cannot be folded.
const large = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int turn, sum;
static void *play(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 34; i++) {
        while (atomic_load(&turn) % 2 != me) {
        }
        atomic_fetch_add(&sum, 1);
        atomic_fetch_add(&turn, 1);
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, play, (void *)0L);
    pthread_create(&b, 0, play, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 69);
    return 0;
}
`

func browserLarge(t *testing.T, open func(*testing.T, string) *webtest.Tab) {
	need(t, "c")
	tab := open(t, "#example=mp")
	tab.Type(large)
	tab.Click("#run")
	tab.Wait(answered + "&& document.querySelector('.picture svg.rv')")
	folded := tab.Count(".rv-event")
	tab.Click("[data-fold]")
	n := tab.Count(".rv-event")
	if n < 200 || folded >= n {
		t.Errorf("%d events, %d when they are folded", n, folded)
	}
	begin := time.Now()
	tab.Eval("(() => { const i = document.querySelector('input[type=search]'); i.value = 'turn'; i.dispatchEvent(new Event('input')) })()")
	found, faint := tab.Count(".rv-event.found"), tab.Count(".rv-event.faint")
	if found == 0 || faint == 0 || found+faint != n {
		t.Errorf("search: %d found, %d others, of %d", found, faint, n)
	}
	width := func() float64 {
		return tab.Eval("document.querySelector('svg.rv').getBoundingClientRect().width").(float64)
	}
	fit := width()
	tab.Click("[aria-label=Larger]")
	if width() <= fit {
		t.Error("it does not get larger")
	}
	for range 5 {
		tab.Click(".steps [data-step=next]")
	}
	t.Logf("search, zoom and five steps in %d events took %v", n, time.Since(begin).Round(time.Millisecond))
	tab.Shot("large")
}

func browserDark(t *testing.T, b *webtest.Browser, url string) {
	tab := b.Open(t, url+"/#example=sb-fence", true)
	tab.Wait("'ready' in document.documentElement.dataset")
	background := func() string {
		s, _ := tab.Eval("getComputedStyle(document.body).backgroundColor").(string)
		return s
	}
	dark := background()
	if dark == "rgb(255, 255, 255)" {
		t.Error("the page is not dark")
	}
	tab.Click("#run")
	tab.Wait(answered)
	tab.Shot("dark")
	if got := tab.Eval("getComputedStyle(document.querySelector('.rv-event:not(.rv-in-cycle) rect')).fill"); got != dark {
		t.Errorf("the picture is not dark: %v", got)
	}
	tab.Click("#theme") // light
	if got := background(); got != "rgb(255, 255, 255)" {
		t.Errorf("light: %s", got)
	}
	tab.Run() // a new load keeps it
	// Without the mark, Wait does not return before the new page is there.
	tab.Eval("(delete document.documentElement.dataset.ready, location.reload())")
	tab.Wait("'ready' in document.documentElement.dataset")
	if got := background(); got != "rgb(255, 255, 255)" {
		t.Errorf("after a reload: %s", got)
	}
	tab.Click("#theme")
	if got := background(); got != dark {
		t.Errorf("dark: %s", got)
	}
}

func browserGone(t *testing.T, b *webtest.Browser) {
	var tab *webtest.Tab
	var addr string
	t.Run("while it is there", func(inner *testing.T) {
		_, url := start(inner, nil)
		addr = strings.TrimPrefix(url, "http://")
		tab = b.Open(t, url+"/#example=sb", false)
		tab.Expected = []string{"ERR_CONNECTION_REFUSED", "Failed to load resource"}
		tab.Wait("'ready' in document.documentElement.dataset")
	})
	if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		c.Close()
		t.Fatal("the server is still there")
	}
	tab.Click("#run")
	tab.Wait("document.querySelector('.verdict h2')?.innerText == 'The server is gone'")
	if tab.Count("#retry") != 1 || tab.Text(".cm-content") == "" {
		t.Error("the page does not help")
	}
}
