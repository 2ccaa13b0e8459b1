package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A writer makes random programs in C. Most of what it writes is right; now and then a bound is missed by a little, a byte is not
// written, or a pointer outlives what it points to. Whether a program is wrong is for the sanitizers to say.
type writer struct {
	*rand.Rand
	b      strings.Builder
	indent string
	n      int // names so far
	blocks []*block
	risk   int // one choice in risk is a risky one
}

// A block is an object that pointers point to.
type block struct {
	name  string // of the pointer, or of the array
	size  int    // in bytes
	heap  bool
	freed bool
	set   int // bytes from its start that were written
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, w.indent+format+"\n", args...)
}

func (w *writer) name(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%d", prefix, w.n)
}

func (w *writer) risky() bool { return w.IntN(w.risk) == 0 }

func pick[T any](w *writer, of ...T) T { return of[w.IntN(len(of))] }

// prelude has what programs use. USE looks at all bits of a value. A branch alone would not do: to MSan a comparison is defined if
// some bits that are defined decide it, to ravel it is not.
const prelude = `#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { char tag; int a; short b; };
union word { unsigned u; unsigned char c[4]; unsigned short h[2]; float f; };
static int sink;
#define USE(x) do { unsigned all = (x); sink += "ab"[all % 2]; if (all > 3) sink++; else sink += 2; } while (0)
static int *kept;
static char *text;
static void keep(int v) { int local = v; kept = &local; USE(*kept); }
static int *pass(int *p) { return p; }
static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
static unsigned char sum(const unsigned char *p, int n) { unsigned char s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
static struct pair twice(struct pair p) { p.a += p.a; return p; }
struct node { struct node *next; int v; };
static struct node *cons(int v, struct node *next) { struct node *n = malloc(sizeof *n); if (!n) exit(0); n->next = next; n->v = v; return n; }
static int total(const struct node *n) { int s = 0; for (; n; n = n->next) s += n->v; return s; }
static int sign(int x) { if (x > 2) return 1; if (x < 5) return 2; }
static int few(int x) { if (x > 3) return 1; }
static void set(int **p, int *v) { *p = v; }
static int add1(int x) { return x + 1; }
static int sub1(int x) { return x - 1; }
static int (*const table[2])(int) = {add1, sub1};
`

// sequential makes a program without threads, but for the prelude.
func sequential(rnd *rand.Rand, seed uint64) string {
	w := &writer{Rand: rnd, risk: 8 + rnd.IntN(40), indent: "  ", n: int(seed) * 100}
	for range w.IntN(2) {
		n := w.name("g")
		size := 4 * (1 + w.IntN(4))
		fmt.Fprintf(&w.b, "static int %s[%d];\n", n, size/4)
		w.blocks = append(w.blocks, &block{name: n, size: size, set: size})
	}
	fmt.Fprintf(&w.b, "int main_%d(void) {\n", seed)
	for range 4 + w.IntN(9) {
		w.statement()
	}
	w.b.WriteString("  return 0;\n}\n")
	return w.b.String()
}

func (w *writer) statement() {
	steps := []func(){
		w.allocate, w.allocate, w.array, w.write, w.write, w.read, w.read, w.read, w.copy, w.copy, w.free, w.pair, w.union, w.keeping, w.scope, w.strings, w.numbers,
		w.arithmetic, w.reallocate, w.compare, w.loop, w.variable, w.call, w.signed, w.list, w.words, w.dynamic, w.result, w.jump, w.nested,
	}
	pick(w, steps...)()
}

// usable returns a block, now and then one that was freed; nil if there is none.
func (w *writer) usable() *block {
	of := slices.DeleteFunc(slices.Clone(w.blocks), func(b *block) bool { return b.freed })
	if w.risky() {
		of = w.blocks
	}
	if len(of) == 0 {
		w.allocate()
		return w.blocks[len(w.blocks)-1]
	}
	return pick(w, of...)
}

func (w *writer) allocate() {
	b := &block{name: w.name("p"), size: 4 * (1 + w.IntN(5)), heap: true}
	if w.risky() {
		b.size -= 1 + w.IntN(3)
	}
	if w.IntN(3) == 0 {
		w.line("int *%s = calloc(1, %d);", b.name, b.size)
		b.set = b.size
	} else {
		w.line("int *%s = malloc(%d);", b.name, b.size)
	}
	w.line("if (!%s) return 0;", b.name)
	w.blocks = append(w.blocks, b)
	if w.IntN(2) == 0 {
		w.line("fill(%s, %d);", b.name, w.index(b)+1)
	}
}

func (w *writer) array() {
	b := &block{name: w.name("a"), size: 4 * (1 + w.IntN(4))}
	if w.IntN(2) == 0 {
		w.line("int %s[%d];", b.name, b.size/4)
	} else {
		w.line("int %s[%d] = {%d};", b.name, b.size/4, w.IntN(9))
		b.set = b.size
	}
	w.blocks = append(w.blocks, b)
}

// index returns the index of an int of a block, now and then one beyond its end.
func (w *writer) index(b *block) int {
	n := max(1, b.size/4)
	if w.risky() {
		return n + w.IntN(2)
	}
	return w.IntN(n)
}

// whole returns a number of bytes of a block.
func (w *writer) whole(b *block) int {
	if w.risky() {
		return b.size + 1 + w.IntN(4)
	}
	return w.IntN(b.size + 1)
}

// at is an int of a block in several spellings. Compilers check the bounds of arrays, so these go by a pointer.
func (w *writer) at(b *block, i int) string {
	if !b.heap {
		return fmt.Sprintf("pass(%s)[%d]", b.name, i)
	}
	return fmt.Sprintf(pick(w, "%s[%d]", "*(%s + %d)", "pass(%s)[%d]"), b.name, i)
}

func (w *writer) write() {
	b := w.usable()
	switch i := w.index(b); w.IntN(4) {
	case 0:
		w.line("memset(%s, %d, %d);", b.name, w.IntN(3), w.whole(b))
	case 1:
		w.line("((unsigned char *)%s)[%d] = %d;", b.name, max(0, w.whole(b)-1), w.IntN(200))
	default:
		w.line("%s = %d;", w.at(b, i), w.IntN(9))
		if b.set == 4*i {
			b.set += 4
		}
	}
}

func (w *writer) read() {
	b := w.usable()
	if b.set < 4 && !w.risky() {
		w.line("fill(%s, %d);", b.name, max(1, b.size/4))
		b.set = b.size
	}
	switch w.IntN(4) {
	case 0:
		w.line("USE(((unsigned char *)%s)[%d]);", b.name, max(0, w.whole(b)-1))
	case 1:
		w.line("USE(sum((unsigned char *)%s, %d));", b.name, w.whole(b))
	default:
		w.line("USE(%s);", w.at(b, w.index(b)))
	}
}

func (w *writer) copy() {
	to, from := w.usable(), w.usable()
	n := min(w.whole(to), w.whole(from))
	switch w.IntN(4) {
	case 0:
		w.line("memmove(%s, %s, %d);", to.name, from.name, n)
	case 1:
		w.line("memmove(%s, (char *)%s + %d, %d);", to.name, to.name, w.IntN(3), max(0, w.whole(to)-2))
	default:
		if to == from && !w.risky() {
			return
		}
		w.line("memcpy(%s, %s, %d);", to.name, from.name, n)
		if to == from { // it overlaps if there is anything to copy
			return
		}
	}
	to.set = min(to.set, from.set)
}

func (w *writer) free() {
	b := w.usable()
	switch {
	case !b.heap && !w.risky():
	case w.IntN(6) == 0 && w.risky():
		w.line("free((char *)%s + 1);", b.name)
	default:
		w.line("free(%s);", b.name)
		b.freed = true
	}
}

func (w *writer) reallocate() {
	b := w.usable()
	if !b.heap {
		return
	}
	to := &block{name: w.name("p"), size: 4 * (1 + w.IntN(6)), heap: true, set: b.set}
	w.line("int *%s = realloc(%s, %d);", to.name, b.name, to.size)
	w.line("if (!%s) return 0;", to.name)
	to.set = min(to.set, to.size)
	b.freed = true
	w.blocks = append(w.blocks, to)
	w.line("USE(%s);", w.at(to, w.IntN(max(1, to.set/4))))
}

func (w *writer) pair() {
	s, u := w.name("s"), w.name("s")
	w.line("struct pair %s, %s;", s, u)
	for _, f := range []string{"tag", "a", "b"} {
		if !w.risky() {
			w.line("%s.%s = %d;", s, f, w.IntN(9))
		}
	}
	w.line(pick(w, "%s = %s;", "memcpy(&%s, &%s, sizeof(struct pair));", "%s = twice(%s);"), u, s)
	w.line("USE(%s.%s);", u, pick(w, "tag", "a", "b"))
	if w.IntN(4) == 0 {
		w.line("USE(((unsigned char *)&%s)[%d]);", u, w.IntN(12))
	}
}

func (w *writer) union() {
	u := w.name("u")
	w.line("union word %s;", u)
	switch w.IntN(3) {
	case 0:
		w.line("%s.u = %d;", u, w.IntN(70000))
	case 1:
		n := 4
		if w.risky() {
			n = w.IntN(4)
		}
		for i := range n {
			w.line("%s.c[%d] = %d;", u, i, w.IntN(250))
		}
	default:
		w.line("%s.h[0] = %d;", u, w.IntN(60000))
	}
	w.line("USE(%s.%s);", u, pick(w, "u", "c[0]", "c[1]", "h[0]", "c[3]"))
}

// keeping leaves a pointer to a local of a function that returned.
func (w *writer) keeping() {
	w.line("keep(%d);", w.IntN(9))
	if w.risky() {
		w.line("USE(*kept);")
	}
}

// scope leaves a pointer to a local of a block that ended.
func (w *writer) scope() {
	x := w.name("x")
	w.line("{ int %s = %d; kept = &%s; USE(*kept); }", x, w.IntN(9), x)
	if w.risky() {
		w.line("%s;", pick(w, "USE(*kept)", "*kept = 1"))
	}
}

func (w *writer) strings() {
	words := []string{"", "a", "go", "abc", "hello", "seven77"}
	s, word := w.name("s"), pick(w, words...)
	size := len(word) + 1 + w.IntN(4)
	if w.risky() {
		size = max(1, len(word)-w.IntN(2))
	}
	heap := w.IntN(2) == 0
	if heap {
		w.line("char *%s = malloc(%d);", s, size)
		w.line("if (!%s) return 0;", s)
	} else {
		w.line("char %s[%d];", s, size)
	}
	w.line("text = %s;", s)
	switch w.IntN(4) {
	case 0:
		w.line("strcpy(text, \"%s\");", word)
	case 1:
		w.line("strncpy(text, \"%s\", %d);", word, size)
	case 2:
		w.line("memcpy(text, \"%s\", %d);", word, len(word)+w.IntN(2))
	default:
		w.line("assert(snprintf(text, %d, \"%%s\", \"%s\") == %d);", size, word, len(word))
	}
	switch w.IntN(4) {
	case 0:
		w.line("USE((int)strlen(text));")
	case 1:
		w.line("USE(strcmp(text, \"%s\"));", pick(w, words...))
	case 2:
		w.line("USE(strchr(text, '%c') != 0);", pick(w, 'a', 'o', 'z'))
	default:
		w.line("assert(strlen(text) <= %d);", len(word)-w.IntN(2)*w.IntN(2))
	}
	if heap {
		w.line("free(%s);", s)
	}
}

func (w *writer) numbers() {
	buf := w.name("n")
	size := 4 + w.IntN(12)
	v := w.IntN(200000) - 100000
	w.line("char %s[%d];", buf, size)
	format, value := "%d", fmt.Sprint(v)
	switch w.IntN(5) {
	case 0:
		format, value = "%05d", fmt.Sprintf("%05d", v)
	case 1:
		format, value = "%x", fmt.Sprintf("%x", uint32(v))
	case 2:
		format, value = "%-6d|", fmt.Sprintf("%-6d|", v)
	case 3:
		format, value = "%+d", fmt.Sprintf("%+d", v)
	}
	w.line("assert(snprintf(%s, sizeof %s, \"%s\", %d) == %d);", buf, buf, format, v, len(value))
	w.line("assert(!strcmp(%s, \"%s\"));", buf, value[:min(len(value), size-1)])
	if w.IntN(2) == 0 {
		base := pick(w, 0, 8, 10, 16)
		digits := pick(w, "12", "-7", "0x1f", "077", " 5x", "", "99999999999999999999", "+3")
		end := w.name("e")
		w.line("char *%s; long v%s = strtol(\"%s\", &%s, %d); USE(v%s); USE((int)strlen(%s));", end, end, digits, end, base, end, end)
	}
}

func (w *writer) arithmetic() {
	x := w.name("v")
	w.line("unsigned %s = %d;", x, w.IntN(40))
	switch w.IntN(3) {
	case 0:
		shift := w.IntN(32)
		if w.risky() {
			shift = 31 + w.IntN(3)
		}
		w.line("int k%s = %d; USE(1u << k%s);", x, shift, x)
	case 1:
		w.line("int d%s = %d; USE(%s / d%s);", x, w.IntN(w.risk)*w.IntN(3), x, x)
	default:
		w.line("%s = %s * 3 + 1; assert(%s != %d);", x, x, x, w.IntN(200))
	}
}

func (w *writer) compare() {
	a, b := w.usable(), w.usable()
	w.line("USE(memcmp(%s, %s, %d));", a.name, b.name, min(a.set, b.set, max(0, w.whole(a)), max(0, w.whole(b))))
}

func (w *writer) loop() {
	b := w.usable()
	i := w.name("i")
	w.line("for (int %s = 0; %s %s %d; %s++) %s += %s;", i, i, pick(w, "<", "<", "<", "<="), max(0, min(b.set, b.size)/4), i, w.ofPointer(b, i), i)
}

func (w *writer) ofPointer(b *block, i string) string { return fmt.Sprintf("pass(%s)[%s]", b.name, i) }

// variable is one that may be used before it is set.
func (w *writer) variable() {
	x := w.name("x")
	w.line("int %s, y%s;", x, x)
	if !w.risky() {
		w.line("%s = %d;", x, w.IntN(9))
	}
	w.line("y%s = %s;", x, pick(w, x, x+" + 1", x+" & 0xff", x+" ^ "+x))
	if w.IntN(2) == 0 {
		w.line("USE(y%s);", x)
	}
}

func (w *writer) call() { w.line("USE(table[%d](%d));", w.IntN(2), w.IntN(9)) }

// list is one on the heap that is freed, now and then while it is still used.
func (w *writer) list() {
	l := w.name("l")
	w.line("struct node *%s = cons(1, cons(%d, 0));", l, w.IntN(9))
	if w.IntN(2) == 0 {
		w.line("%s = cons(4, %s);", l, l)
	}
	if w.risky() {
		w.line(pick(w, "free(%s->next);", "{ struct node *n = %s->next; free(n); }"), l)
	}
	w.line("USE(total(%s));", l)
	if w.risky() {
		w.line("for (struct node *n = %s; n; n = n->next) free(n);", l)
	} else {
		w.line("while (%s) { struct node *n = %s->next; free(%s); %s = n; }", l, l, l, l)
	}
}

// words uses more of string.h and stdlib.h.
func (w *writer) words() {
	s := w.name("s")
	size := 6 + w.IntN(6)
	if w.risky() {
		size = 3 + w.IntN(3)
	}
	w.line("char *%s = malloc(%d); if (!%s) return 0;", s, size, s)
	w.line("strcpy(%s, \"%s\"); strcat(%s, \"%s\");", s, pick(w, "a", "b1", "12"), s, pick(w, "", "x", "34", "567"))
	switch w.IntN(8) {
	case 0:
		d := w.name("d")
		w.line("char *%s = strdup(%s); if (!%s) return 0; USE(strcmp(%s, %s)); free(%s);", d, s, d, d, s, d)
	case 1:
		w.line("USE(atoi(%s));", s)
	case 2:
		w.line("USE((int)strtoul(%s, 0, %d));", s, pick(w, 0, 10, 16))
	case 3:
		w.line("USE(strncmp(%s, \"12\", %d));", s, w.IntN(8))
	case 4:
		w.line("USE(memchr(%s, '%c', %d) != 0);", s, pick(w, 'x', '4', 'z'), 2+w.IntN(size))
	case 5:
		w.line("assert(sprintf(%s, \"%%d\", %d) < %d);", s, w.IntN(3000), size)
	case 6:
		w.line("USE(strstr(%s, \"%s\") != 0); USE(strrchr(%s, '1') != 0);", s, pick(w, "x", "34", ""), s)
	default:
		w.line("USE((int)strnlen(%s, %d)); USE((int)strspn(%s, \"ab1\"));", s, w.IntN(9), s)
	}
	w.line("free(%s);", s)
}

// dynamic is an array whose size is known at run time.
func (w *writer) dynamic() {
	a, n := w.name("a"), 1+w.IntN(4)
	w.line("int n%s = %d; int %s[n%s];", a, n, a, a)
	k := n
	if w.risky() {
		k = n - 1 + 2*w.IntN(2)
	}
	w.line("for (int i = 0; i < %d; i++) pass(%s)[i] = i;", k, a)
	w.line("USE(pass(%s)[%d]);", a, n-1)
}

// result uses the result of a function that may have none.
func (w *writer) result() {
	f := "sign"
	if w.risky() {
		f = "few"
	}
	w.line(pick(w, "USE(%s(%d));", "%s(%d);", "{ int r = %s(%d); USE(r); }"), f, w.IntN(6))
}

// jump leaves a block by goto, and may skip an initialisation.
func (w *writer) jump() {
	x, l := w.name("x"), w.name("out")
	set := "1"
	if w.risky() {
		set = fmt.Sprint(w.IntN(2))
	}
	w.line("{ int %s; int c%s = %s; if (!c%s) goto %s; %s = %d; %s: USE(%s); }", x, x, set, x, l, x, w.IntN(9), l, x)
}

// nested passes the address of a local down, and may keep it.
func (w *writer) nested() {
	p, x := w.name("q"), w.name("x")
	w.line("int *%s; { int %s = %d; set(&%s, &%s); USE(*%s); }", p, x, w.IntN(9), p, x, p)
	if w.risky() {
		w.line("USE(*%s);", p)
	}
}

// signed is arithmetic that may overflow.
func (w *writer) signed() {
	x, y := w.name("i"), w.name("i")
	a, b := w.IntN(1000)-500, w.IntN(100)-50
	if w.risky() {
		a = pick(w, 1<<31-1, -1<<31, 1<<31-1-w.IntN(40), 1<<30, 1<<16)
	}
	w.line("int %s = %d, %s = %d;", x, a, y, b)
	switch w.IntN(8) {
	case 0, 1:
		w.line("USE(%s %s %s);", x, pick(w, "+", "-", "*"), y)
	case 2:
		w.line("%s %s %s; USE(%s);", x, pick(w, "+=", "-=", "*="), y, x)
	case 3:
		w.line("%s; USE(%s);", pick(w, x+"++", "--"+x, x+" = -"+x), x)
	case 4:
		w.line("long long l%s = (long long)%s * %s; USE(l%s + 1);", x, x, y, x)
	case 5:
		w.line("if (%s) USE(%s / %s + %s %% %s);", y, x, y, x, y)
	case 6:
		w.line("short h%s = %s; h%s++; char c%s = h%s; USE(c%s);", x, y, x, x, x, x)
	default:
		w.line("USE(%s << %d); USE(%s >> %d);", pick(w, "1", "5", y+" * "+y), w.IntN(30), x, w.IntN(31))
	}
}
