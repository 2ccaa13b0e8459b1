package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/report"
)

func run(t *testing.T, q Request, l Limits) Message {
	t.Helper()
	var last Message
	Run(t.Context(), &q, l, func(m Message) { last = m })
	return last
}

const sb = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"

// TestLitmus: all outcomes are there, each with an execution; forbidden ones with a cycle.
func TestLitmus(t *testing.T) {
	for _, c := range []struct {
		model              string
		headline           string
		allowed, forbidden int
	}{
		{"tso", "Allowed under tso", 4, 0},
		{"sc", "Forbidden under sc", 3, 1}, // interleavings give three results (Lamport)
	} {
		m := run(t, Request{Kind: "litmus", Models: []string{c.model}, Files: []File{{"sb.litmus", sb}}}, Browser)
		if m.Answer == nil {
			t.Fatal(m.Problem)
		}
		allowed, forbidden := 0, 0
		for _, o := range m.Answer.Outcomes {
			if o.Allowed {
				allowed++
			} else {
				forbidden++
				if o.Check == "" || len(o.Cycle) == 0 || o.Picture.Cycle == "" {
					t.Errorf("%s: %s has no cycle: %+v", c.model, o.State, o.LitmusOutcome)
				}
			}
			if o.Picture == nil || len(o.Picture.Rows) != 4 {
				t.Errorf("%s: %s has no execution of four events", c.model, o.State)
			}
		}
		if m.Answer.Headline != c.headline || allowed != c.allowed || forbidden != c.forbidden || !m.Answer.AllOutcomes {
			t.Errorf("%s: %s, %d allowed, %d forbidden, want %+v", c.model, m.Answer.Headline, allowed, forbidden, c)
		}
	}
}

// TestWeakest: of the models that hold, the weakest; of those that break, the strongest.
func TestWeakest(t *testing.T) {
	text := `@x = global i32 0
@y = global i32 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)
@r0 = global i32 9
@t = private constant [2 x i8] c"r\00"
define ptr @other(ptr %u) {
  store atomic i32 1, ptr @x release, align 4
  %v = load atomic i32, ptr @y acquire, align 4
  store atomic i32 %v, ptr @r0 monotonic, align 4
  ret ptr null
}
define i32 @main() {
  %a = alloca i64
  call i32 @pthread_create(ptr %a, ptr null, ptr @other, ptr null)
  store atomic i32 1, ptr @y release, align 4
  %v = load atomic i32, ptr @x acquire, align 4
  %ta = load i64, ptr %a
  call i32 @pthread_join(i64 %ta, ptr null)
  %w = load atomic i32, ptr @r0 monotonic, align 4
  %s = add i32 %v, %w
  %bad = icmp eq i32 %s, 0
  br i1 %bad, label %wrong, label %done
wrong:
  call void @__assert_fail(ptr @t, ptr @t, i32 1, ptr @t)
  ret i32 1
done:
  ret i32 0
}
`
	m := run(t, Request{Kind: "check", Models: []string{"rc11", "sc", "ra", "tso"}, Files: []File{{"sb.ll", text}}}, Browser)
	if m.Answer == nil {
		t.Fatal(m.Problem)
	}
	if want := "The weakest model that holds: sc. The strongest that breaks the program: tso."; m.Answer.Detail != want {
		t.Errorf("%s\nwant %s", m.Answer.Detail, want)
	}
}

// TestTimeout: a run whose time is over never says that a program is right.
func TestTimeout(t *testing.T) {
	l := Browser
	l.Timeout = 100 * time.Millisecond
	const endless = "@x = global i32 0\ndefine i32 @main() {\n  br label %l\nl:\n  %o = atomicrmw add ptr @x, i32 1 seq_cst, align 4\n  br label %l\n}\n"
	m := run(t, Request{Kind: "check", Files: []File{{"a.ll", endless}}}, l)
	if m.Answer == nil || m.Answer.Tone != "open" || !strings.Contains(m.Answer.Detail, "the limit of this page") {
		t.Errorf("%+v %+v", m.Answer, m.Problem)
	}
}

// TestPlaces: messages of compilers and of ravel point into the sources of the request, and nowhere else.
func TestPlaces(t *testing.T) {
	p := &player{Request: &Request{Files: []File{{Name: "a.c"}, {Name: "a.rs"}, {Name: "m.cat"}}}, ctx: context.Background()}
	for _, c := range []struct {
		text string
		want string
	}{
		{"a.c: clang failed:\na.c:3:12: error: use of undeclared identifier 'x'\n    return x;", "a.c:3:12 error use of undeclared identifier 'x'"},
		{"a.c:1:2: warning: w", "a.c:1:2 warning w"},
		{"/usr/include/stdio.h:1:2: error: e", ""},
		{"model m does not fit X86 tests: m.cat:2:14: unbound name n\n  acyclic n", "m.cat:2:14 error unbound name n"},
		{"a.rs: rustc failed:\nerror[E0308]: mismatched types\n --> a.rs:1:26\n  |", "a.rs:1:26 error mismatched types"},
	} {
		var got []string
		for _, m := range p.problem(errors.New(c.text)).Places {
			got = append(got, m.Location.String()+" "+m.Severity+" "+m.Message)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestRelations: pictures have happens-before where a release store is read by an acquire load, and dependencies where instructions make them.
func TestRelations(t *testing.T) {
	const program = `@data = global i32 0
@flag = global i32 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)
@t = private constant [2 x i8] c"r\00"
define ptr @writer(ptr %u) {
  store i32 1, ptr @data, align 4
  store atomic i32 1, ptr @flag release, align 4
  ret ptr null
}
define i32 @main() {
  %a = alloca i64
  call i32 @pthread_create(ptr %a, ptr null, ptr @writer, ptr null)
  %f = load atomic i32, ptr @flag acquire, align 4
  %set = icmp eq i32 %f, 1
  br i1 %set, label %wrong, label %done
wrong:
  call void @__assert_fail(ptr @t, ptr @t, i32 1, ptr @t)
  ret i32 1
done:
  ret i32 0
}
`
	m := run(t, Request{Kind: "check", Files: []File{{"mp.ll", program}}}, Browser)
	if m.Answer == nil || len(m.Answer.Models[0].Errors) != 1 {
		t.Fatalf("%+v %+v", m.Answer, m.Problem)
	}
	p := m.Answer.Models[0].Errors[0].Picture
	row := func(text string) int {
		for _, r := range p.Rows {
			if strings.Contains(r.Text, text) {
				return r.Row
			}
		}
		t.Fatalf("no row has %s", text)
		return 0
	}
	if want := fmt.Sprintf(`data-rel="hb" data-from="%d" data-to="%d"`, row("flag = 1 (rel)"), row("r: flag → 1 (acq)")); !strings.Contains(p.SVG, want) {
		t.Errorf("the drawing has no %s", want)
	}
	const dependency = "AArch64 MP+dmb.sy+addr\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X4=x; }\n P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | EOR W2,W0,W0 ;\n DMB SY | LDR W3,[X4,W2,SXTW] ;\n MOV W2,#1 | ;\n STR W2,[X3] | ;\nexists (1:X0=1 /\\ 1:X3=0)\n"
	m = run(t, Request{Kind: "litmus", Files: []File{{"mp.litmus", dependency}}}, Browser)
	if m.Answer == nil {
		t.Fatal(m.Problem)
	}
	for _, o := range m.Answer.Outcomes {
		if !slices.ContainsFunc(o.Picture.Relations, func(r report.PictureRelation) bool { return r.Name == "addr" && r.Edges == 1 }) {
			t.Errorf("%s: the relations are %+v", o.State, o.Picture.Relations)
		}
	}
}

// TestDependencies: under a model with dependencies, the picture of a program has each kind of them, with words, and a model without has none.
func TestDependencies(t *testing.T) {
	const program = `@x = global i32 0
@y = global i32 0
@list = global [2 x i32] zeroinitializer
declare void @__assert_fail(ptr, ptr, i32, ptr)
@t = private constant [2 x i8] c"r\00"
define i32 @main() {
  %a = load atomic i32, ptr @x monotonic, align 4
  store atomic i32 %a, ptr @y monotonic, align 4
  %i = zext i32 %a to i64
  %p = getelementptr [2 x i32], ptr @list, i64 0, i64 %i
  %b = load atomic i32, ptr %p monotonic, align 4
  %c = icmp eq i32 %b, 0
  br i1 %c, label %then, label %after
then:
  store atomic i32 7, ptr @x monotonic, align 4
  store atomic i32 8, ptr @x monotonic, align 4
  call void @__assert_fail(ptr @t, ptr @t, i32 1, ptr @t)
  unreachable
after:
  ret i32 0
}
`
	for _, model := range []string{"armv8", "rc11"} {
		m := run(t, Request{Kind: "check", Files: []File{{"deps.ll", program}}, Models: []string{model}}, Browser)
		if m.Answer == nil || len(m.Answer.Models[0].Errors) == 0 {
			t.Fatalf("%+v", m)
		}
		p := m.Answer.Models[0].Errors[0].Picture
		row := func(text string) int {
			return 1 + slices.IndexFunc(p.Rows, func(r report.PictureRow) bool { return r.Text == text })
		}
		for _, c := range []struct{ name, from, to, words string }{
			{"data", "r: x → 0 (rlx)", "y = 0 (rlx)", "the value depends on it"},
			{"addr", "r: x → 0 (rlx)", "r: list → 0 (rlx)", "the address depends on it"},
			{"ctrl", "r: list → 0 (rlx)", "x = 7 (rlx)", "whether it runs depends on it"},
		} {
			edge := fmt.Sprintf(`data-rel="%s" data-from="%d" data-to="%d"><title>%s: `, c.name, row(c.from), row(c.to), c.name)
			if got, want := strings.Contains(p.SVG, edge) && strings.Contains(p.SVG, c.words), model == "armv8"; got != want {
				t.Errorf("%s: the picture has %s: %v, want %v", model, edge, got, want)
			}
			if n := strings.Count(p.SVG, `<g class="rv-edge rv-other" data-rel="`+c.name+`"`); model == "armv8" && n != 1 {
				t.Errorf("%d edges of %s, want 1: what follows by program order is left out", n, c.name)
			}
		}
	}
}
