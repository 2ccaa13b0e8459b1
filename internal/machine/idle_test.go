package machine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestIdle looks at what is left of loops that wait between their attempts.
func TestIdle(t *testing.T) {
	for _, test := range []struct {
		name, body string
		ops        string
	}{
		{"doubles up to a limit", `
  %delay = copy 1
  br try
try:
  %old = rmw.4.acq.xchg @x, 1
  condbr %old, pause, out
pause:
  %i = copy 0
  br head
head:
  %c = cmp.32.ult %i, %delay
  condbr %c, step, more
step:
  %i = add.32 %i, 1
  br head
more:
  %d = cmp.32.ult %delay, 1024
  condbr %d, double, try
double:
  %delay = mul.32 %delay, 2
  br try`, "br rmw condbr ret"},
		{"fails if it grows too much", `
  %n = copy 0
  br try
try:
  %old = rmw.4.acq.xchg @x, 1
  condbr %old, pause, out
pause:
  %n = add.32 %n, 1
  %c = cmp.32.ult %n, 9
  condbr %c, try, fail
fail:
  store.4.na @x, 7
  br out`, "copy br rmw condbr add cmp condbr store br ret"},
		{"can't grow too much", `
  %n = copy 0
  br try
try:
  %old = rmw.4.acq.xchg @x, 1
  condbr %old, pause, out
pause:
  %c = cmp.32.ult %n, 9
  condbr %c, count, try
count:
  %s, %o = uaddo.32 %n, 1
  condbr %o, fail, go
go:
  %n = copy %s
  br try
fail:
  store.4.na @x, 7
  br out`, "br rmw condbr ret"},
		{"may never end", `
  %n = copy 1
  br try
try:
  %old = rmw.4.acq.xchg @x, 1
  condbr %old, head, out
head:
  %n = add.32 %n, 2
  %c = cmp.32.ne %n, 6
  condbr %c, head, try`, "copy br rmw condbr add cmp condbr ret"},
		{"ends unless the limit is the largest number", `
  %m = load.1.na @x
  br try
try:
  %old = rmw.4.acq.xchg @x, 1
  condbr %old, pause, out
pause:
  %i = copy 0
  br head
head:
  %c = cmp.8.ule %i, %m
  condbr %c, step, try
step:
  %i = add.8 %i, 1
  br head`, "load br rmw condbr copy br cmp condbr add br ret"},
	} {
		text := "global x 4\nfunc main() 1 {\ne:" + test.body + "\nout:\n  ret 0\n}"
		var ops []string
		compile(t, text, Options{dump: func(f *fn) {
			if f.name != "main" {
				return
			}
			for _, b := range f.blocks {
				for i := range b.instrs {
					ops = append(ops, b.instrs[i].Op.String())
				}
			}
		}})
		if got := strings.Join(ops, " "); got != test.ops {
			t.Errorf("%s: %s, want %s", test.name, got, test.ops)
		}
	}
}

// An idler makes up a loop around a visible action, in which counters of 8 bits go up and down, decide about each other, and now and then about something visible.
type idler struct {
	*rand.Rand
	strings.Builder
	labels int
}

func (w *idler) line(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }

func (w *idler) counter() string { return fmt.Sprintf("%%c%d", w.IntN(3)) }

func (w *idler) value() string {
	if w.IntN(2) == 0 {
		return w.counter()
	}
	return fmt.Sprint([]int{0, 1, 2, 3, 7, 8, 100, 127, 128, 254, 255}[w.IntN(11)])
}

func (w *idler) test() string {
	return []string{"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"}[w.IntN(10)]
}

func (w *idler) statement(depth int) {
	switch k := w.IntN(16); {
	case k < 5:
		op := []string{"add", "sub", "mul", "shl", "lshr", "and", "or", "umin", "umax", "smin"}[w.IntN(10)]
		a, b := w.counter(), w.value()
		if op == "shl" || op == "lshr" {
			b = fmt.Sprint(w.IntN(8))
		}
		w.line("%s = %s.8 %s, %s", w.counter(), op, a, b)
	case k < 6:
		w.line("%s = copy %s", w.counter(), w.value())
	case k < 7:
		w.line("%s = %s.8 %s, %s", w.counter(), []string{"udiv", "urem", "sdiv", "srem"}[w.IntN(4)], w.counter(), w.value())
	case k < 8: // an overflow is visible
		w.labels++
		l := w.labels
		w.line("%%s%d, %%o%d = %s.8 %s, %d", l, l, []string{"uaddo", "saddo", "usubo", "umulo"}[w.IntN(4)], w.counter(), 1+w.IntN(3))
		w.line("condbr %%o%d, over%d, fits%d", l, l, l)
		fmt.Fprintf(w, "over%d:\n", l)
		w.line("store.1.na @y, 1")
		w.line("br fits%d", l)
		fmt.Fprintf(w, "fits%d:\n", l)
		w.line("%s = copy %%s%d", w.counter(), l)
	case k < 9 && w.IntN(3) == 0:
		w.line("store.1.na @y, %s", w.value())
	case depth == 0:
	case k < 13:
		w.labels++
		l := w.labels
		w.line("%%t%d = cmp.8.%s %s, %s", l, w.test(), w.counter(), w.value())
		w.line("condbr %%t%d, then%d, else%d", l, l, l)
		fmt.Fprintf(w, "then%d:\n", l)
		w.statements(1+w.IntN(2), depth-1)
		w.line("br else%d", l)
		fmt.Fprintf(w, "else%d:\n", l)
	default:
		w.labels++
		l := w.labels
		i := w.counter()
		w.line("%s = copy %s", i, w.value())
		w.line("br head%d", l)
		fmt.Fprintf(w, "head%d:\n", l)
		w.line("%%t%d = cmp.8.%s %s, %s", l, w.test(), i, w.value())
		w.line("condbr %%t%d, body%d, done%d", l, l, l)
		fmt.Fprintf(w, "body%d:\n", l)
		if w.IntN(3) == 0 {
			w.statements(1, depth-1)
		}
		w.line("%s = %s.8 %s, %d", i, []string{"add", "sub"}[w.IntN(2)], i, []int{1, 1, 1, 2, 3}[w.IntN(5)])
		w.line("br head%d", l)
		fmt.Fprintf(w, "done%d:\n", l)
	}
}

func (w *idler) statements(n, depth int) {
	for range n {
		w.statement(depth)
	}
}

// TestIdleRandom compares such loops as they are with what is left of them.
func TestIdleRandom(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 500
	}
	dropped := 0
	for seed := range uint64(n) {
		w := &idler{Rand: rand.New(rand.NewPCG(seed, 7))}
		w.WriteString("global x 4\nglobal y 1\nfunc main() 1 {\ne:\n")
		for i := range 3 {
			w.line("%%c%d = copy %d", i, []int{0, 1, 4, 250}[w.IntN(4)])
		}
		w.WriteString("  br try\ntry:\n  %old = rmw.4.rlx.add @x, 1\n  %again = cmp.32.ult %old, 12\n  condbr %again, round, out\nround:\n")
		w.statements(1+w.IntN(5), 2)
		w.WriteString("  br try\nout:\n  ret 0\n}\n")
		text := w.String()
		var traces [2]string
		for i := range traces {
			size := 0
			e := &fake{endless: true, p: compile(t, text, Options{plain: i == 1, dump: func(f *fn) {
				if f.name == "main" {
					size = f.size()
				}
			}})}
			if i == 0 && size <= 5 {
				dropped++
			}
			traces[i] = e.run(t)
		}
		if traces[0] != traces[1] {
			t.Fatalf("seed %d\n%s\nwith passes:    %s\nwithout passes: %s", seed, text, traces[0], traces[1])
		}
	}
	if dropped < n/20 {
		t.Errorf("only in %d of %d programs nothing was left", dropped, n)
	}
}
