package rt_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/check"
	"ravel/internal/short"
)

var nativePrograms = flag.Int("native-programs", 12, "random programs of library calls to compare with the machine's C library")

// TestNative makes programs of random calls of the library, compiles and runs them with the C library of this machine, and has ravel
// verify that the library's functions return and store the same.
func TestNative(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no cc on PATH")
	}
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH")
	}
	for seed := range short.Count(*nativePrograms, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			compareNative(t, cc, uint64(seed))
		})
	}
}

// nativeHead is what the programs have in common. A case leaves numbers in x, y and z and characters in b. Natively, result prints them; for ravel
// it compares them with what was printed.
const nativeHead = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char b[SIZE], *e;
static long long x, y, z;

static void begin(void)
{
	x = y = z = errno = 0;
	e = 0;
	memset(b, '~', sizeof b);
}

static long long bits(double d) { long long v; memcpy(&v, &d, sizeof v); return v; }
static long long bits32(float d) { int v; memcpy(&v, &d, sizeof v); return v; }
static int sign(int v) { return (v > 0) - (v < 0); }
static int upwards(const void *p, const void *q) { return *(const short *)p - *(const short *)q; }

#ifdef NATIVE
static void result(int i)
{
	printf("{%lldll,%lldll,%lldll,\"", x, y, z);
	for (int k = 0; k < SIZE; k++)
		printf("\\%03o", (unsigned char)b[k]);
	printf("\"},\n");
	fflush(stdout);
}
#else
static const struct { long long x, y, z; char b[SIZE + 1]; } want[] = {
#include WANT
};
static int same(int i)
{
	for (int k = 0; k < SIZE; k++)
		if (b[k] != want[i].b[k])
			return 0;
	return x == want[i].x && y == want[i].y && z == want[i].z;
}
#define result(i) assert(same(i))
#endif
`

const (
	nativeCases = 40
	nativeSize  = 40
)

func compareNative(t *testing.T, cc string, seed uint64) {
	g := &caller{rand.New(rand.NewPCG(seed, 7))}
	var src strings.Builder
	fmt.Fprintf(&src, "#define SIZE %d\n%sint main(void)\n{\n", nativeSize, nativeHead)
	var calls []string
	for i := range nativeCases {
		calls = append(calls, g.call())
		fmt.Fprintf(&src, "\tbegin();\n\t{ %s }\n\tresult(%d);\n", calls[i], i)
	}
	src.WriteString("\treturn 0;\n}\n")
	dir := t.TempDir()
	file, program, want := filepath.Join(dir, "calls.c"), filepath.Join(dir, "calls"), filepath.Join(dir, "want.h")
	if err := os.WriteFile(file, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(cc, "-w", "-O0", "-fno-builtin", "-DNATIVE", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, msg, src.String())
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		done := strings.Count(string(out), "\n")
		t.Fatalf("%v\n%s", err, strings.Join(calls[done:], "\n"))
	}
	if err := os.WriteFile(want, out, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := check.Load([]string{file}, "", []string{"-w", "-fno-builtin", fmt.Sprintf("-DWANT=%q", want)})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	got, _ := outcome(t, p, "sc")
	if got == "verified 1" {
		return
	}
	_, rest, _ := strings.Cut(got, "same(")
	if _, err := fmt.Sscanf(rest, "%d", &failed); err != nil || failed >= nativeCases {
		t.Fatalf("seed %d: %s\n%s", seed, got, src.String())
	}
	t.Errorf("seed %d: %s\nwant %s", seed, calls[failed], strings.Split(string(out), "\n")[failed])
}

// A caller makes random statements that call the library.
type caller struct{ *rand.Rand }

func (g *caller) pick(words ...string) string { return words[g.IntN(len(words))] }
func (g *caller) maybe(text string) string {
	if g.IntN(2) == 0 {
		return text
	}
	return ""
}

func (g *caller) call() string {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.printf()
	case 3:
		return g.strtol()
	case 4:
		return g.strtod()
	case 5, 6:
		return g.sscanf()
	}
	return g.str()
}

// printf formats one number, character or string, or two.
func (g *caller) printf() string {
	f, args := g.conversion()
	if g.IntN(3) == 0 {
		f2, args2 := g.conversion()
		f, args = f+g.pick(" ", "", "%%", "ab")+f2, args+args2
	}
	size := nativeSize
	if g.IntN(4) == 0 {
		size = g.IntN(12)
	}
	if g.IntN(6) == 0 {
		return fmt.Sprintf("x = fprintf(stderr, %q%s);", f, args)
	}
	return fmt.Sprintf("x = snprintf(b, %d, %q%s);", size, f, args)
}

func (g *caller) conversion() (format, args string) {
	flags := ""
	for range g.IntN(4) {
		flags += g.pick("-", "0", "+", " ", "#")
	}
	switch g.IntN(4) {
	case 0:
		flags += fmt.Sprint(1 + g.IntN(20))
	case 1:
		flags += "*"
		args += fmt.Sprint(", ", g.IntN(30)-15)
	}
	switch g.IntN(4) {
	case 0:
		flags += fmt.Sprint(".", g.IntN(12))
	case 1:
		flags += ".*"
		args += fmt.Sprint(", ", g.IntN(12)-2)
	case 2:
		flags += g.maybe(".")
	}
	switch g.IntN(10) {
	case 0:
		return "%" + flags + "c", args + fmt.Sprint(", ", 33+g.IntN(90))
	case 1:
		return "%" + flags + "s", args + fmt.Sprintf(", %q", g.text())
	case 2:
		return "%" + flags + "p", args + g.pick(", (void *)0", ", (void *)1234", ", (void *)0xdeadbeefL")
	case 3, 4, 5:
		return "%" + flags + g.pick("a", "A", "e", "E", "f", "F", "g", "G"), args + ", " + g.double()
	}
	length := g.pick("", "hh", "h", "l", "ll", "z", "j", "t")
	cast := map[string]string{"": "int", "hh": "int", "h": "int", "l": "long", "ll": "long long", "z": "size_t", "j": "intmax_t", "t": "ptrdiff_t"}[length]
	return "%" + flags + length + g.pick("d", "i", "u", "o", "x", "X"), args + fmt.Sprintf(", (%s)%s", cast, g.integer())
}

func (g *caller) integer() string {
	switch g.IntN(4) {
	case 0:
		return fmt.Sprint(g.IntN(3) - 1)
	case 1:
		return fmt.Sprint(g.IntN(2000) - 1000)
	case 2:
		return g.pick("0x7fffffff", "0x80000000", "0xffffffff", "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "255", "256", "32768")
	}
	return fmt.Sprintf("%dll", int64(g.Uint64())>>g.IntN(64))
}

func (g *caller) double() string {
	v := 0.0
	switch g.IntN(6) {
	case 0:
		v = float64(g.IntN(2000)-1000) / 8
	case 1:
		v = float64(g.IntN(100000)) / 1000
	case 2:
		v = math.Float64frombits(g.Uint64())
	case 3:
		return g.pick("0.0", "-0.0", "1/0.0", "-1/0.0", "__builtin_nan(\"\")", "-__builtin_nan(\"\")", "0.05", "0.25", "2.5", "0.5", "1.5", "9.995", "99999.5", "999999.5", "1e15", "1e16",
			"4.9e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "1e5", "1e6", "1e-4", "1e-5", "123456.", "1234567.")
	case 4:
		v = math.Ldexp(float64(g.IntN(1<<20)), g.IntN(60)-30)
	case 5:
		v = g.NormFloat64() * math.Pow(10, float64(g.IntN(20)-10))
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "1.0"
	}
	return fmt.Sprintf("%x", v)
}

func (g *caller) text() string {
	s := ""
	for range g.IntN(9) {
		s += g.pick("a", "b", "c", "A", "B", " ", "1", "x", "-", "ab")
	}
	return s
}

// numeral is a text that may be a number.
func (g *caller) numeral() string {
	s := g.pick("", "", " ", "\t\n ") + g.pick("", "", "-", "+", "- ") + g.pick("", "", "", "0", "0x", "0X", "0b", "00")
	for range g.IntN(5) {
		s += g.pick("0", "1", "7", "8", "9", "a", "F", "12345", "z", "99999999")
	}
	return s + g.pick("", "", " ", "x", ".5", "e1", "g")
}

func (g *caller) strtol() string {
	kind := g.pick("l", "ul", "ll", "ull", "imax", "umax")
	s := g.numeral()
	if g.IntN(4) == 0 {
		s = g.pick("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551615",
			"-18446744073709551616", "-1", "0x7fffffffffffffff", "0xffffffffffffffff", "zzzzzzzzzzzzzzz", "1111111111111111111111111111111111111111111111111111111111111111", "2147483648")
	}
	base := g.pick("0", "10", "16", "8", "2", "36", "7", "1", "37", "-1")
	if g.IntN(5) == 0 {
		return fmt.Sprintf("x = ato%s(%q); z = errno;", g.pick("i", "l", "ll"), s)
	}
	return fmt.Sprintf("const char *s = %q; x = strto%s(s, &e, %s); y = e ? e - s : -1; z = errno;", s, kind, base)
}

func (g *caller) realNumeral() string {
	if g.IntN(4) == 0 {
		return g.pick("", "-") + g.pick("inf", "Infinity", "infinit", "nan", "NAN(12)", "nan(", "nan(a b)", "1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072014e-308",
			"2.2250738585072011e-308", "2.225073858507201136057409796709131975934819546351645648e-308", "1.7976931348623159e308", "1.7976931348623158e308", "0x1p-1074", "0x1p-1075", "0x1.8p-1075",
			"0x.8p1", "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x", "0x.", "0x.p1", "0xg", ".", "e5", ".e5", "1e", "1e+", "1e-x", "0e999999999999", "1e99999999999999", "1.4e-45", "1.17549435e-38",
			"3.4028236e38", "1e-46", "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880")
	}
	s := g.pick("", " ") + g.pick("", "-", "+") + g.maybe("0x")
	for range g.IntN(4) {
		s += g.pick("0", "1", "5", "25", "123", "9999999999999999999", "a")
	}
	s += g.maybe(".")
	for range g.IntN(4) {
		s += g.pick("0", "5", "125", "3333333333333333333333333", "000", "f")
	}
	return s + g.pick("", "", "e1", "e-5", "E+20", "p3", "P-9", "e", "x", "e-310", "e300")
}

func (g *caller) strtod() string {
	s := g.realNumeral()
	return fmt.Sprintf("const char *s = %q; ", s) + g.pick("x = bits(strtod(s, &e));", "x = bits32(strtof(s, &e));", "x = bits(atof(s));") + " y = e ? e - s : -1; z = errno;"
}

// sscanf reads two items.
func (g *caller) sscanf() string {
	f, s, first, second := "", "", "x", "y"
	one := func(to string) string {
		width := g.pick("", "", "", fmt.Sprint(1+g.IntN(6)))
		f += g.pick("", " ", "", ",")
		if strings.HasSuffix(f, ",") {
			s += g.pick(",", ",", " ,", ";")
		}
		switch g.IntN(9) {
		case 0:
			s += g.text()
			if width == "" {
				width = "10"
			}
			f += "%" + width + g.pick("s", "c", "[a-c]", "[^a]", "[]1x-]", "[^] ]")
			return "b + " + fmt.Sprint(g.IntN(2)*16)
		case 1:
			s += g.realNumeral()
			f += "%" + width + "l" + g.pick("f", "e", "g", "a")
			return "(double *)&" + to
		case 2:
			f += "%*" + width + "d"
			s += g.numeral()
			return ""
		case 3:
			f += "%" + g.pick("", "l") + "n"
			return "(void *)&" + to
		}
		s += g.numeral()
		f += "%" + width + g.pick("", "h", "hh", "l", "ll", "z", "j") + g.pick("d", "i", "u", "o", "x", "X")
		return "(void *)&" + to
	}
	if len(s) > 100 {
		s = s[:100]
	}
	var args strings.Builder
	for _, to := range []string{first, second} {
		if a := one(to); a != "" {
			args.WriteString(", " + a)
		}
	}
	return fmt.Sprintf("z = sscanf(%q, %q%s) * 1000; z += errno;", s, f, args.String())
}

// str calls functions of strings and memory, sorts and searches.
func (g *caller) str() string {
	a, c := g.text(), g.text()
	ch := g.pick("'a'", "'b'", "'A'", "0", "' '", "'a' + 256")
	n := g.IntN(8)
	two := fmt.Sprintf("const char *s = %q, *t = %q; strcpy(b, s); ", a, c)
	switch g.IntN(12) {
	case 0:
		return two + fmt.Sprintf("e = %s; x = e ? e - s : -1;", g.pick("strchr(s, "+ch+")", "strrchr(s, "+ch+")", "strstr(s, t)", "strpbrk(s, t)", "memchr(s, "+ch+", strlen(s))", "strcasestr(s, t)", "memmem(s, strlen(s), t, strlen(t))", "memccpy(b, s, "+ch+", strlen(s)) ? (char *)s : 0", "strchr(s, t[0])"))
	case 1:
		return two + fmt.Sprintf("x = sign(%s);", g.pick("strcmp(s, t)", fmt.Sprintf("strncmp(s, t, %d)", n), "strcasecmp(s, t)", fmt.Sprintf("strncasecmp(s, t, %d)", n), "memcmp(s, t, 1)", "strcoll(s, t)"))
	case 2:
		return two + "x = strspn(s, t); y = strcspn(s, t); z = strlen(s);"
	case 3:
		return two + "strcat(b, t); x = strlen(b);"
	case 4:
		return two + fmt.Sprintf("strncat(b, t, %d); strncpy(b + 20, t, %d);", n, n)
	case 5:
		return two + "for (e = strtok(b, t); e; e = strtok(0, t)) x = x * 10 + (e - b) + 1;"
	case 6:
		return two + "char *r = b; while ((e = strsep(&r, t))) x = x * 10 + (e - b) + 1;"
	case 7:
		return two + fmt.Sprintf("memmove(b + %d, b + %d, %d); memset(b + 30, %s, 3);", g.IntN(10), g.IntN(10), n, ch)
	case 8:
		return two + "char *d = strdup(t); x = strlen(d); strcpy(b, d); free(d); d = strndup(s, 3); y = strlen(d); free(d);"
	case 9:
		return fmt.Sprintf("short *v = (short *)b; for (int i = 0; i < %d; i++) v[i] = (i * %d + %d) %% 17 - 5; qsort(v, %d, 2, upwards); short k = %d; short *f = bsearch(&k, v, %d, 2, upwards); x = f ? *f : -99;",
			n, 3+g.IntN(20), g.IntN(9), n, g.IntN(12)-5, n)
	case 10:
		return two + fmt.Sprintf("div_t q = div(%d, %d); x = q.quot; y = q.rem; z = strnlen(s, %d); stpcpy(b, t);", g.IntN(200)-100, 1+g.IntN(9), n)
	}
	return fmt.Sprintf("x = abs(%d); y = labs(%s); z = ffs(%d); stpncpy(b, %q, %d);", g.IntN(9)-4, fmt.Sprint(g.IntN(100)-50), g.IntN(40), a, n)
}
