package project

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"ravel/internal/lazy"
)

// A crate that is compiled for tests has a table of them and a main that passes it to the library of tests. To run one test, main calls instead what the table has for it: a
// closure that calls the test and makes a Result<(), String> of what it returns.

// A rustTest is a test in the text of such a crate.
type rustTest struct {
	path    string // with the crate: queue::tests::push
	closure []byte // its symbol
	panics  bool   // it is marked should_panic
	expects string // what the message of the panic must have
	scope   string // of the test's debug information, "" if it has none
	line    string // of the source
}

var (
	testClosure = lazy.Regexp(`(?m)^define [^\n]*\bvoid @("_ZN([\w$.]+?)28_\$u7b\$\$u7b\$closure\$u7d\$\$u7d\$17h[0-9a-f]{16}E")\(ptr [^\n]*sret\(`)
	// How the harness begins to run tests.
	runTests    = lazy.Regexp(`(?m)^(\s*)call void @"?[\w$.]*16test_main_static[\w$.]*"?\([^\n]*?\)(, !dbg ![0-9]+)?$`)
	declaresRun = lazy.Regexp(`(?m)^declare [^\n]*16test_main_static[^\n]*\n`)
	// The function that makes the Result, and what it stores for Ok: that is up to the compiler.
	assertResult = lazy.Regexp(`(?m)^define [^\n]*\bvoid @[^\n]*18assert_test_result[^\n]*\n(?s:.*?)\n}\n`)
	storesOk     = lazy.Regexp(`\bstore (i64|ptr) (-?[0-9]+|null), ptr %_0, align 8`)

	subprogram = lazy.Regexp(`^distinct !DISubprogram\([^\n]*\bfile: (![0-9]+), line: ([0-9]+)`)
	sourceFile = lazy.Regexp(`^!DIFile\(filename: "([^"]*)", directory: "([^"]*)"`)
)

// findTests returns the tests that a text has.
func findTests(text []byte) (tests []rustTest) {
	for _, at := range testClosure().FindAllSubmatchIndex(text, -1) {
		body, _, _ := bytes.Cut(text[at[1]:], []byte("\n}\n"))
		if !bytes.Contains(body, []byte("18assert_test_result")) {
			continue // a closure of the test's own
		}
		mangled := text[at[4]:at[5]]
		t := rustTest{path: demangle(string(mangled)), closure: text[at[2]:at[3]]}
		_, within, _ := strings.Cut(t.path, "::") // the harness names tests without the crate
		if t.path == "" || !bytes.Contains(text, []byte(`c"`+within+`"`)) {
			continue
		}
		t.describe(text, mangled)
		tests = append(tests, t)
	}
	return tests
}

// describe looks for the attributes of a test in its source, at the place that the debug information names. They are nowhere else in a form that is the same for
// all versions of rustc.
func (t *rustTest) describe(text, mangled []byte) {
	define := regexp.MustCompile(`(?m)^define [^\n]*@"?_ZN` + regexp.QuoteMeta(string(mangled)) + `17h[0-9a-f]{16}E"?\([^\n]* !dbg (![0-9]+)`)
	m := define.FindSubmatch(text)
	if m == nil {
		return
	}
	at := subprogram().FindStringSubmatch(metadata(text, string(m[1])))
	if at == nil {
		return
	}
	t.scope, t.line = string(m[1]), at[2]
	file := sourceFile().FindStringSubmatch(metadata(text, at[1]))
	if file == nil {
		return
	}
	name, _, _ := strings.Cut(file[1], "/@/") // behind it is the unit of code
	if !filepath.IsAbs(name) {
		name = filepath.Join(file[2], name)
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return
	}
	lines := strings.Split(string(source), "\n")
	n := 0
	if _, err := fmt.Sscan(t.line, &n); err != nil || n > len(lines) {
		return
	}
	first := n - 1
	for first > 0 { // attributes are above the line of fn
		line := strings.TrimSpace(lines[first-1])
		if line == "" || strings.HasSuffix(line, "}") || strings.HasSuffix(line, ";") || strings.HasSuffix(line, "{") {
			break
		}
		first--
	}
	above, _, _ := strings.Cut(strings.Join(lines[first:n], "\n"), "fn "+t.path[strings.LastIndexByte(t.path, ':')+1:])
	t.panics, t.expects = shouldPanic(above)
}

var (
	panicAttribute = lazy.Regexp(`(?m)^[^/\n]*#\[\s*should_panic\b\s*(?:\(\s*expected\s*=\s*|=\s*)?`)
	rustEscape     = lazy.Regexp(`(?s)\\(u\{[0-9a-fA-F_]+\}|x[0-9a-fA-F]{2}|\n\s*|.)`)
)

// shouldPanic returns whether attributes have should_panic, and the message that it expects.
func shouldPanic(attributes string) (panics bool, expects string) {
	at := panicAttribute().FindStringIndex(attributes)
	if at == nil {
		return false, ""
	}
	rest := attributes[at[1]:]
	if raw := strings.TrimLeft(strings.TrimPrefix(rest, "r"), "#"); strings.HasPrefix(rest, "r") && strings.HasPrefix(raw, `"`) {
		hashes := strings.Repeat("#", len(rest)-1-len(raw))
		expects, _, _ = strings.Cut(raw[1:], `"`+hashes)
		return true, expects
	}
	if !strings.HasPrefix(rest, `"`) {
		return true, ""
	}
	end := 1
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	return true, rustEscape().ReplaceAllStringFunc(rest[1:min(end, len(rest))], func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		case '0':
			return "\x00"
		case '\n':
			return "" // a line goes on
		case 'x', 'u':
			code, err := strconv.ParseUint(strings.Trim(strings.ReplaceAll(e[2:], "_", ""), "{}"), 16, 32)
			if err != nil {
				return e
			}
			return string(rune(code))
		}
		return e[1:]
	})
}

// metadata returns the node with a name.
func metadata(text []byte, name string) string {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+" = "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line)
}

// program returns a text whose main runs only this test.
func (t *rustTest) program(text []byte) ([]byte, error) {
	how := storesOk().FindSubmatch(assertResult().Find(text))
	if !runTests().Match(text) || how == nil {
		return nil, fmt.Errorf("the harness of %s runs tests in a way that ravel does not know: call the test from a binary", t.path)
	}
	text = declaresRun().ReplaceAll(runTests().ReplaceAll(text, []byte("${1}call void @ravel.test()${2}")), nil)
	at, place := "", ""
	if t.scope != "" {
		number := "!" + strconv.Itoa(bytes.Count(text, []byte("\n!"))) // of no other node: there are some without numbers
		at = ", !dbg " + number
		place = fmt.Sprintf("%s = !DILocation(line: %s, column: 5, scope: %s)\n", number, t.line, t.scope)
	}
	fails := func(why string) string {
		return fmt.Sprintf("  call void @__assert_fail(ptr @ravel.test.%s, ptr @ravel.test.file, i32 %s, ptr @ravel.test.file)%s\n  unreachable\n", why, "0"+t.line, at)
	}
	var b bytes.Buffer
	b.Write(text)
	constant := func(name, value string) {
		fmt.Fprintf(&b, "@ravel.test.%s = private constant [%d x i8] c\"", name, len(value)+1)
		for i := range len(value) {
			if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
				fmt.Fprintf(&b, "\\%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		b.WriteString("\\00\"\n")
	}
	constant("file", strings.ReplaceAll(t.path, "\"", ""))
	constant("error", "the test returns no error")
	constant("calm", "the test panics")
	constant("expected", t.expects)
	constant("message", "the message of the panic has what the test expects: "+t.expects)
	constant("cut", "the first 256 bytes of the message of the panic have what the test expects: "+t.expects)
	constant("unseen", "the panic has a message of its own, which ravel can compare with what the test expects: "+t.expects)
	if !bytes.Contains(text, []byte("@__assert_fail(")) {
		b.WriteString("declare void @__assert_fail(ptr, ptr, i32, ptr)\n")
	}
	if t.panics {
		fmt.Fprintf(&b, `declare void @__ravel_rust_try(i32)
define void @ravel.test() personality ptr @rust_eh_personality {
  %%r = alloca [64 x i8], align 8
  call void @__ravel_rust_try(i32 1)
  invoke void @%s(ptr %%r, ptr %%r) to label %%returns unwind label %%caught
returns:
%scaught:
  %%p = landingpad { ptr, i32 } catch ptr null
%s}
`, t.closure, fails("calm"), t.expectation(fails))
		if t.expects != "" {
			b.WriteString("@rust.panic_expected = constant i8 1\n@rust.panic_text = external thread_local global [34 x i64]\n")
			if !bytes.Contains(text, []byte("@strstr(")) {
				b.WriteString("declare ptr @strstr(ptr, ptr)\n")
			}
		}
	} else {
		fmt.Fprintf(&b, `define void @ravel.test() {
  %%r = alloca [64 x i8], align 8
  call void @%s(ptr %%r, ptr %%r)
  %%d = load %s, ptr %%r, align 8
  %%ok = icmp eq %s %%d, %s
  br i1 %%ok, label %%done, label %%bad
bad:
%sdone:
  ret void
}
`, t.closure, how[1], how[1], how[2], fails("error"))
	}
	b.WriteString(place)
	return b.Bytes(), nil
}

// expectation returns what happens when the test has panicked: the message must have what is expected.
func (t *rustTest) expectation(fails func(why string) string) string {
	if t.expects == "" {
		return "  ret void\n"
	}
	return fmt.Sprintf(`  %%len = load i64, ptr @rust.panic_text, align 8
  %%unseen = icmp eq i64 %%len, 0
  br i1 %%unseen, label %%strange, label %%seen
strange:
%sseen:
  %%start = getelementptr i8, ptr @rust.panic_text, i64 8
  %%found = call ptr @strstr(ptr %%start, ptr @ravel.test.expected)
  %%differs = icmp eq ptr %%found, null
  br i1 %%differs, label %%other, label %%right
other:
  %%long = icmp ugt i64 %%len, 256
  br i1 %%long, label %%cut, label %%wrong
cut:
%swrong:
%sright:
  ret void
`, fails("unseen"), fails("cut"), fails("message"))
}

// demangle returns the path that is in a mangled name: 1q5tests4adds is q::tests::adds.
func demangle(mangled string) string {
	var path []string
	for mangled != "" {
		digits := len(mangled) - len(strings.TrimLeft(mangled, "0123456789"))
		n := 0
		if _, err := fmt.Sscan(mangled[:digits], &n); err != nil || n > len(mangled)-digits {
			return ""
		}
		path = append(path, mangled[digits:digits+n])
		mangled = mangled[digits+n:]
	}
	return strings.Join(path, "::")
}
