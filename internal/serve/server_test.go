package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ravel"
	"ravel/internal/play"
	"ravel/internal/short"
	"ravel/internal/web"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" { // of a server in these tests
		if err := Work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long runs that end by themselves may take. It is enough for the slowest machine.
const patience = 5 * time.Minute

// start serves at a free port until the test ends, and returns the server with its address. When the test ends, nothing of the server may be left.
func start(t testing.TB, change func(*Options)) (*Server, string) {
	t.Helper()
	o := Defaults(false)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Worker, o.Log, o.Limits.Workers = []string{exe, "worker"}, log.New(testLog{t}, "", 0), 1
	o.Limits.Timeout = patience
	if change != nil {
		change(&o)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(l.Addr(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if left := processesIn(t, s.dir); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
		if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder of the server is left: %v", err)
		}
	})
	return s, "http://" + l.Addr().String()
}

// testLog keeps what the server logs out of the output of tests that pass.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// processesIn lists the processes whose folder for temporary files is in dir: workers and compilers.
func processesIn(t testing.TB, dir string) (list []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte("TMPDIR="+dir)) {
			list = append(list, f)
		}
	}
	return list
}

// post sends a request and returns the last message, or the status if it is not 200.
func post(ctx context.Context, url string, q any) (play.Message, int, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return play.Message{}, 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/run", bytes.NewReader(text))
	if err != nil {
		return play.Message{}, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return play.Message{}, 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return play.Message{}, resp.StatusCode, err
	}
	lines := strings.Split(strings.TrimSpace(string(body)), "\n")
	var m play.Message
	err = json.Unmarshal([]byte(lines[len(lines)-1]), &m)
	return m, resp.StatusCode, err
}

func ask(t *testing.T, url string, q play.Request) play.Message {
	t.Helper()
	m, status, err := post(t.Context(), url, q)
	if err != nil || status != http.StatusOK {
		t.Fatalf("status %d, error %v", status, err)
	}
	return m
}

func need(t *testing.T, language string) {
	t.Helper()
	if !ravel.HasCompiler(language) {
		t.Skipf("there is no compiler for %s", language)
	}
}

const endless = `#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *f(void *a) { for (int i = 0; i < 9; i++) atomic_fetch_add(&x, 1); return a; }
int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 6; i++) pthread_join(t[i], 0); }
`

func check(name, text string) play.Request {
	return play.Request{Kind: "check", Files: []play.File{{Name: name, Text: text}}}
}

// TestForeign: requests for other hosts and from other pages are refused; those of the page, of the address bar and of links are not.
func TestForeign(t *testing.T) {
	_, url := start(t, func(o *Options) { o.Hosts = []string{"ravel.example.org"} })
	port := url[strings.LastIndex(url, ":"):]
	for _, c := range []struct {
		method, path, host string
		header             map[string]string
		want               int
	}{
		{"GET", "/", "localhost" + port, nil, 200},
		{"GET", "/", "[::1]" + port, nil, 200},
		{"GET", "/", "ravel.example.org", nil, 200},
		{"GET", "/", "RAVEL.example.org:443", nil, 200},
		{"GET", "/", "127.0.0.1:1", nil, 403},         // another port
		{"GET", "/", "evil.example" + port, nil, 403}, // rebound
		{"GET", "/", "localhost.evil.example" + port, nil, 403},
		{"GET", "/", "127.0.0.1.nip.io" + port, nil, 403},
		{"GET", "/", "0.0.0.0" + port, nil, 403},
		{"GET", "/api/info", "evil.example" + port, nil, 403},
		{"GET", "/", "localhost" + port, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200}, // a link
		{"GET", "/api/info", "localhost" + port, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"GET", "/app.js", "localhost" + port, map[string]string{"Sec-Fetch-Site": "same-site"}, 403}, // another port of this machine
		{"GET", "/app.js", "localhost" + port, map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Origin": "https://evil.example", "Content-Type": "application/json"}, 403},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Origin": "null", "Content-Type": "application/json"}, 403},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Origin": "http://localhost" + port + ".evil.example", "Content-Type": "application/json"}, 403},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Origin": "http://localhost:1", "Content-Type": "application/json"}, 403},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Content-Type": "text/plain"}, 415}, // needs no preflight
		{"POST", "/api/run", "localhost" + port, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		{"POST", "/api/run", "localhost" + port, map[string]string{"Origin": "http://localhost" + port, "Content-Type": "application/json"}, 200},
		{"GET", "/api/run", "localhost" + port, nil, 405},
		{"PUT", "/app.js", "localhost" + port, nil, 405},
		{"GET", "/../../etc/passwd", "localhost" + port, nil, 404},
		{"GET", "/%2e%2e/%2e%2e/etc/passwd", "localhost" + port, nil, 404},
		{"GET", "/examples.json", "localhost" + port, nil, 200},
	} {
		body := `{"kind":"litmus","files":[{"name":"a.litmus","text":""}]}`
		r, err := http.NewRequest(c.method, url+c.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.StatusCode; got != c.want && !(c.want == 404 && got >= 300) {
			t.Errorf("%s %s, host %s, %v: status %d, want %d", c.method, c.path, c.host, c.header, got, c.want)
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") {
			t.Errorf("%s: policy %q", c.path, csp)
		}
	}
}

// TestNothingRead: whatever a program says, compilers and ravel show nothing of files that the request did not carry, not even whether they exist.
func TestNothingRead(t *testing.T) {
	need(t, "c")
	const mark = "zqx7secretzqx7"
	secret := filepath.Join(t.TempDir(), "secret")
	t.Setenv("RAVEL_SECRET", mark)
	if err := os.WriteFile(secret, []byte(mark+" = 1;\nint main(void) { return "+mark+"; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := "int main(void) { return 0; }\n"
	up := strings.Repeat("../", 20) + strings.TrimPrefix(secret, "/")
	type trick struct {
		name string
		q    play.Request
	}
	var tricks []trick
	c := func(name, text string, flags ...string) {
		q := check("a.c", strings.ReplaceAll(strings.ReplaceAll(text, "SECRET", secret), "UP", up))
		q.Flags = flags
		tricks = append(tricks, trick{name, q})
		if len(flags) == 0 {
			q = check("a.cpp", q.Files[0].Text)
			tricks = append(tricks, trick{name + " in C++", q})
		}
	}
	c("include", "#include \"SECRET\"\n"+program)
	c("include <>", "#include <SECRET>\n"+program)
	c("include upwards", "#include \"UP\"\n"+program)
	c("include upwards <>", "#include <UP>\n"+program)
	c("include out of a folder of the system", "#include \"/usr/include/UP\"\n"+program)
	c("include by a macro", "#define F \"SECRET\"\n#include F\n"+program)
	c("include by pieces", "#define Q(x) #x\n#define R(x) Q(x)\n#include R(SECRET)\n"+program)
	c("include_next", "#include_next \"SECRET\"\n"+program)
	c("import", "#import \"SECRET\"\n"+program)
	c("trigraph and splice", "??=include \"SECRET\"\n#inc\\\nlude \"SECRET\"\n"+program)
	c("digraph", "%:include \"SECRET\"\n"+program)
	c("has_include", "#if __has_include(\"SECRET\")\n#error "+mark+" is there\n#endif\n"+program)
	c("embed", "const char s[] = {\n#embed \"SECRET\"\n};\n"+program)
	c("has_embed", "#ifdef __has_embed\n#if __has_embed(\"SECRET\")\n#error "+mark+"\n#endif\n#endif\n"+program)
	c("pragma dependency", "#pragma GCC dependency \"SECRET\" "+mark+"\n"+program)
	c("pragma module", "#pragma clang module import SECRET\n#pragma clang module load SECRET\n"+program)
	c("pch pragma", "#pragma GCC pch_preprocess \"SECRET\"\n"+program)
	c("line", "#include <assert.h>\n#line 1 \"SECRET\"\nint main(void) { assert(0); }\n")
	c("line marker", "#include <assert.h>\n# 1 \"SECRET\" 1\nint main(void) { assert(0); }\n")
	c("incbin", "__asm__(\".incbin \\\"SECRET\\\"\");\n"+program)
	c("incbin inside", "int main(void) { __asm__ volatile(\".incbin \\\"SECRET\\\"\"); return 0; }\n")
	c("asm include", "__asm__(\".include \\\"SECRET\\\"\");\n"+program)
	c("environment", "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv(\"RAVEL_SECRET\")); return 0; }\n")
	c("files at run time", "#include <stdio.h>\nint main(void) { char b[99]; FILE *f = fopen(\"SECRET\", \"r\"); puts(fgets(b, 99, f)); return 0; }\n")
	c("proc", "#include \"/proc/self/environ\"\n"+program)
	c("stdin", "#include \"/dev/stdin\"\n"+program)
	for _, f := range []string{"-include" + secret, "-I/", "-imacros" + secret, "@" + secret, "-fplugin=" + secret, "-Xclang", "-B/tmp", "--config=" + secret, "-DX=\"a\"", "-std=c11 -I/", "-ivfsoverlay", "-fmodules", "-x", "-specs=" + secret, "-Wp,-I/"} {
		c("flag "+f, program, f)
	}
	for _, name := range []string{"/etc/passwd.c", "../a.c", "a/../../b.c", "@a.c", "-I.c", "a b.c", "a\x00.c", "a.c/", "", "a.o", "a.bc", "a.a", "C:\\a.c", "~/a.c", "a\n.c", strings.Repeat("a", 200) + ".c", "a.so"} {
		tricks = append(tricks, trick{"name " + name, check(name, program)})
	}
	rust := func(name, text string) {
		tricks = append(tricks, trick{"Rust " + name, check("a.rs", strings.ReplaceAll(text, "SECRET", secret))})
	}
	rust("include_str", "fn main() { println!(\"{}\", include_str!(\"SECRET\")); }")
	rust("include_bytes", "const A: &[u8] = include_bytes!(\"SECRET\"); fn main() { assert!(A.len() == 0); }")
	rust("include", "include!(\"SECRET\");")
	rust("raw identifier", "fn main() { println!(\"{}\", r#include_str!(\"SECRET\")); }")
	rust("by a macro", "macro_rules! m { ($i:ident) => { $i!(\"SECRET\") } } fn main() { println!(\"{}\", m!(include_str)); }")
	rust("renamed", "use std::include_str as x; fn main() { println!(\"{}\", x!(\"SECRET\")); }")
	rust("path", "#[path = \"SECRET\"] mod x; fn main() {}")
	rust("path in cfg_attr", "#[cfg_attr(all(), path = \"SECRET\")] mod x; fn main() {}")
	rust("path by a macro", "macro_rules! m { ($a:ident) => { #[$a = \"SECRET\"] mod x; } } m!(path); fn main() {}")
	rust("doc", "#![doc = include_str!(\"SECRET\")] fn main() {}")
	rust("env", "fn main() { panic!(env!(\"RAVEL_SECRET\")); }")
	rust("option_env", "fn main() { assert_eq!(option_env!(\"RAVEL_SECRET\"), None); }")
	rust("visualizer", "#![debugger_visualizer(natvis_file = \"SECRET\")] fn main() {}")
	rust("proc macro", "#![crate_type = \"proc-macro\"] extern crate proc_macro; #[proc_macro] pub fn m(t: proc_macro::TokenStream) -> proc_macro::TokenStream { t } fn main() {}")
	rust("asm", "use std::arch::global_asm; global_asm!(\".incbin \\\"SECRET\\\"\"); fn main() {}")
	cat := func(name, text string) {
		q := play.Request{Kind: "litmus", Models: []string{"m.cat"}, Files: []play.File{{Name: "a.litmus", Text: web.Examples()[1].Files[0].Text}, {Name: "m.cat", Text: text}}}
		tricks = append(tricks, trick{"cat " + name, q})
	}
	cat("include", "\"m\"\ninclude \""+secret+"\"")
	cat("include upwards", "\"m\"\ninclude \""+up+"\"")
	tricks = append(tricks,
		trick{"model on the disk", play.Request{Kind: "litmus", Models: []string{secret + ".cat"}, Files: []play.File{{Name: "a.litmus", Text: web.Examples()[1].Files[0].Text}}}},
		trick{"model that is not there", play.Request{Kind: "check", Models: []string{"m.cat"}, Files: []play.File{{Name: "a.c", Text: program}}}},
		trick{"ll that names a source", check("a.ll", "define i32 @main() !dbg !1 {\n  unreachable, !dbg !3\n}\n!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)\n!1 = distinct !DISubprogram(name: \"main\", file: !2, line: 1, unit: !0)\n!2 = !DIFile(filename: \""+secret+"\", directory: \"/\")\n!3 = !DILocation(line: 1, column: 1, scope: !1)\n")},
	)
	_, url := start(t, func(o *Options) { o.Limits.Timeout = 20 * time.Second })
	for _, x := range short.Every(6, tricks) {
		if strings.HasPrefix(x.name, "Rust ") && !ravel.HasCompiler("rust") {
			continue
		}
		m := ask(t, url, x.q)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		carried := slices.ContainsFunc(x.q.Files, func(f play.File) bool { return strings.Contains(f.Text, mark) })
		if bytes.Contains(text, []byte(mark)) && (!carried || bytes.Contains(text, []byte("is there"))) {
			t.Errorf("%s: the answer has the secret: %s", x.name, text)
		}
		if strings.HasPrefix(x.name, "Rust ") && x.name != "Rust asm" && x.name != "Rust proc macro" && (m.Problem == nil || !strings.Contains(m.Problem.Message, "is not allowed here")) {
			t.Errorf("%s was not refused: %s", x.name, text)
		}
		if (strings.HasPrefix(x.name, "flag ") || strings.HasPrefix(x.name, "name ")) && m.Problem == nil {
			t.Errorf("%s was not refused: %s", x.name, text)
		}
		if bytes.Contains(text, []byte("defect")) {
			t.Errorf("%s: %s", x.name, text)
		}
	}
}

// TestJavaProgram: a program in Java is compiled and checked in the process that is confined. What javac says about a wrong one is the answer.
func TestJavaProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("runs javac")
	}
	need(t, "java")
	i := slices.IndexFunc(web.Examples(), func(e web.Example) bool { return e.ID == "mailbox" })
	text := web.Examples()[i].Files[0].Text
	_, url := start(t, nil)
	m := ask(t, url, check("Mailbox.java", text))
	if m.Answer == nil || m.Answer.Tone != "bad" || m.Answer.Models[0].Model != "jam21" {
		t.Errorf("%+v %+v", m.Answer, m.Problem)
	}
	m = ask(t, url, check("Mailbox.java", strings.ReplaceAll(text, "letter = v;", "letter = w;")))
	if m.Problem == nil || !strings.Contains(m.Problem.Message, "Mailbox.java:21: error: cannot find symbol") {
		t.Errorf("%+v %+v", m.Answer, m.Problem)
	}
}

// TestBadInput: requests that are wrong or too large are refused with a reason, and the server lives on.
func TestBadInput(t *testing.T) {
	_, url := start(t, nil)
	huge := strings.Repeat("int x;\n", 1<<18)
	for _, c := range []struct {
		name, body string
		status     int
		message    string
	}{
		{"nothing", "", 400, ""},
		{"not JSON", "{", 400, ""},
		{"unknown field", `{"kind":"check","clang":"/bin/sh"}`, 400, ""},
		{"wrong type", `{"kind":1}`, 400, ""},
		{"no files", `{"kind":"check"}`, 200, "no file"},
		{"unknown kind", `{"kind":"stress","files":[{"name":"a.c","text":""}]}`, 200, "kind"},
		{"unknown model", `{"kind":"check","models":["rc12"],"files":[{"name":"a.ll","text":"define i32 @main() { ret i32 0 }"}]}`, 200, "rc11"},
		{"empty", `{"kind":"litmus","files":[{"name":"a.litmus","text":""}]}`, 200, "a.litmus:1"},
		{"not UTF-8", "{\"kind\":\"litmus\",\"files\":[{\"name\":\"a.litmus\",\"text\":\"\xff\xfe\"}]}", 200, "a.litmus"},
		{"deep", `{"kind":"check","files":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, 400, ""},
		{"two of a name", `{"kind":"check","files":[{"name":"a.c","text":""},{"name":"a.c","text":""}]}`, 200, "two files"},
		{"large", `{"kind":"litmus","files":[{"name":"a.litmus","text":` + quote(huge[:1<<20+1]) + `}]}`, 200, "too many"},
		{"huge", `{"kind":"litmus","files":[{"name":"a.litmus","text":` + quote(huge+huge) + `}]}`, 413, ""},
		{"many files", `{"kind":"check","files":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a.c","text":""},`, 40), ",") + `]}`, 200, "too many"},
		{"many models", `{"kind":"check","models":[` + strings.TrimSuffix(strings.Repeat(`"sc",`, 40), ",") + `],"files":[{"name":"a.ll","text":""}]}`, 200, "too many"},
	} {
		r, err := http.Post(url+"/api/run", "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != c.status || !strings.Contains(string(body), c.message) {
			t.Errorf("%s: status %d, want %d, with %q: %.300s", c.name, r.StatusCode, c.status, c.message, body)
		}
	}
}

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// TestEndless: a program that would take for ever ends at its limit, without an answer that claims anything.
func TestEndless(t *testing.T) {
	need(t, "c")
	old := readTimeout
	readTimeout = time.Second // shorter than the run, which it must not end
	t.Cleanup(func() { readTimeout = old })
	_, url := start(t, func(o *Options) { o.Limits.Timeout = 2 * time.Second })
	q := check("a.c", endless)
	q.Models = []string{"sc"}
	// On a slow machine the run may be ended before it can say how far it came.
	open := func(m play.Message) bool {
		if m.Answer == nil {
			return m.Problem != nil && strings.Contains(m.Problem.Message, "The run was stopped")
		}
		return m.Answer.Tone == "open" && m.Answer.Models[0].Verdict == "unknown"
	}
	for _, q := range []play.Request{q, check("a.ll", "define i32 @main() {\n br label %l\nl:\n br label %l\n}")} {
		if m := ask(t, url, q); !open(m) {
			t.Errorf("%s: %+v %+v", q.Files[0].Name, m.Answer, m.Problem)
		}
	}
	// A compiler that never ends.
	bomb := "template<int N> struct A { A<N - 1> a; A<N - 1> b[N]; }; template<> struct A<0> {}; template<int A, int B> constexpr int f() { return f<A - 1, B>() + f<A, B - 1>(); } int main() { return f<900, 900>(); }"
	if m := ask(t, url, check("a.cpp", bomb)); m.Answer != nil && m.Answer.Tone == "good" {
		t.Errorf("%+v", m)
	}
}

// TestCancel: when the client goes away, the run and its compilers end at once.
func TestCancel(t *testing.T) {
	need(t, "c")
	s, url := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = post(ctx, url, check("a.c", endless))
	}()
	wait(t, "the run begins", func() bool { return len(processesIn(t, s.dir)) > 0 })
	cancel()
	<-done
	wait(t, "the run ends", func() bool {
		left, _ := os.ReadDir(s.dir)
		return len(processesIn(t, s.dir)) == 0 && len(left) == 0
	})
}

func wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begin := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("%s: not after %v", what, patience)
		}
	}
}

// TestCrowd: a hundred clients at once are all answered, beside programs that never end and clients that go away.
func TestCrowd(t *testing.T) {
	need(t, "c")
	s, url := start(t, func(o *Options) { o.Runs = 13 }) // three are left to those that end
	litmus := play.Request{Kind: "litmus", Files: []play.File{{Name: "a.litmus", Text: web.Examples()[1].Files[0].Text}}}
	endlessly, enough := context.WithCancel(t.Context())
	defer enough()
	var wg, others sync.WaitGroup
	for i := range short.Count(100, 40) {
		client := func() {
			q, ctx := litmus, t.Context()
			switch i % 10 {
			case 0:
				q, ctx = check("a.c", endless), endlessly
			case 1:
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Duration(i)*10*time.Millisecond)
				defer cancel()
			}
			m, status, err := post(ctx, url, q)
			switch {
			case i%10 == 0:
				if m.Answer != nil && m.Answer.Tone == "good" {
					t.Errorf("client %d: %+v", i, m)
				}
			case i%10 == 1 && err != nil:
			case err != nil || status != 200:
				t.Errorf("client %d: status %d, error %v", i, status, err)
			case m.Answer == nil || m.Answer.Headline != "Allowed under tso":
				t.Errorf("client %d: %+v", i, m.Problem)
			}
		}
		if i%10 == 0 {
			others.Go(client)
		} else {
			wg.Go(client)
		}
	}
	wg.Wait()
	enough()
	others.Wait()
	wait(t, "all runs end", func() bool { return len(processesIn(t, s.dir)) == 0 })
}

// TestPublic: a public server takes less.
func TestPublic(t *testing.T) {
	_, url := start(t, func(o *Options) {
		worker, log := o.Worker, o.Log
		*o = Defaults(true)
		o.Worker, o.Log, o.Limits.Timeout = worker, log, patience
	})
	m := ask(t, url, play.Request{Kind: "litmus", Files: []play.File{{Name: "a.litmus", Text: web.Examples()[1].Files[0].Text}}})
	if m.Answer == nil || m.Answer.Headline != "Allowed under tso" {
		t.Errorf("%+v", m.Problem)
	}
	m = ask(t, url, check("a.c", strings.Repeat(" ", 70_000)))
	if m.Problem == nil || !strings.Contains(m.Problem.Message, "too many") {
		t.Errorf("%+v", m)
	}
}
