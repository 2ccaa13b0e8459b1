package check

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var linuxAll = flag.Bool("linux", false, "check all litmus tests of the Linux kernel, not a sample")

// TestLinux checks the verdicts of litmus tests of the Linux kernel, which herd7 and Dartagnan have published, on the same programs
// in C with lkmm.h.
func TestLinux(t *testing.T) {
	if testing.Short() {
		t.Skip("checks a sample of the kernel's litmus tests")
	}
	needClang(t)
	dir := "../../../shared/litmus"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no ../shared/litmus here")
	}
	n := 0
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		if !strings.HasPrefix(r["file"], "C-linux/") || linuxOmitted(r) {
			continue
		}
		if n++; n%12 != 0 && !*linuxAll {
			continue
		}
		t.Run(r["file"], func(t *testing.T) {
			t.Parallel()
			src, test := translateLinux(t, filepath.Join(dir, r["file"]))
			checkLinux(t, src, test, r)
		})
	}
}

// linuxOmitted reports whether a test is left out: it looks at the value of a lock, or it stores to an atomic_t as if that were
// a number.
func linuxOmitted(r row) bool {
	return strings.Contains(r["flags"], "lock-final") || strings.HasSuffix(r["file"], "C-atomic-operator-02.litmus")
}

// pastJoin reports whether a test needs a write to be performed before a read that decides on a branch, where the arms of the branch
// have ended: then the verdict is bounded. In three tests a write of the same location in the arm forbids it, which is not in the executions that are explored.
func pastJoin(r row) bool {
	return strings.HasSuffix(r["file"], "+R-Ok.litmus") || strings.HasSuffix(r["file"], "R-Oc+Oq-A.litmus")
}

// checkLinux runs a translated test.
func checkLinux(t *testing.T, src string, test *litmus.Test, r row) {
	file := filepath.Join(t.TempDir(), "test.c")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Load([]string{file}, "", []string{"-w", "-Wno-error=int-conversion"})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m, _ := model.Get("lkmm", model.Options{})
	res, err := explore.Explore(t.Context(), p, explore.Options{
		Model: m, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Timeout: time.Minute, Machine: machine.Options{SpinAssume: true}},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if res.GaveUp != "" {
		t.Skip(res.GaveUp)
	}
	failed, race := false, false
	for _, e := range res.Errors {
		switch e.Kind {
		case "assertion":
			failed = true
		case "race":
			race = true
		case "deadlock": // these executions do not exist
		default:
			t.Errorf("%s: %s", e.Kind, e.Message)
		}
	}
	holds := failed
	if test.Cond.Quant != litmus.Exists {
		holds = !failed
	}
	if want := strings.Contains(r["flags"], "data-race"); race != want {
		t.Errorf("race %v, want %v\n%s", race, want, src)
	}
	if bounded := res.Cut != ""; bounded != pastJoin(r) && !race {
		t.Errorf("bounded %v: %s\n%s", bounded, res.Cut, src)
	}
	if res.Cut != "" {
		return
	}
	// What follows a race is not explored.
	if want := r["condition_holds"] == "yes"; holds != want && !race {
		t.Errorf("the condition holds: %v, want %v\n%s", holds, want, src)
	}
}

var (
	linuxThread  = regexp.MustCompile(`(?m)^\s*P(\d+)\s*\(([^)]*)\)[^{]*\{`)
	linuxInt     = regexp.MustCompile(`\b(int|intptr_t)\b`)
	linuxLocal   = regexp.MustCompile(`\b(long)\s*(\**)\s*(\w+)\s*(=|;)`)
	linuxDeref   = regexp.MustCompile(`\*(r\d+)\b`)
	linuxAssign  = regexp.MustCompile(`(?m)(?:^|[;{}(])\s*(\w+)\s*=[^=]`)
	linuxComment = regexp.MustCompile(`(?s)\(\*\s.*?\*\)|//[^\n]*|/\*.*?\*/`)
	linuxParam   = regexp.MustCompile(`(.*\*)\s*(\w+)\s*$`)
)

// translateLinux returns a litmus test as a C program that fails an assertion in the final states that its condition asks for.
func translateLinux(t *testing.T, file string) (string, *litmus.Test) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := frontend.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	text := linuxComment.ReplaceAllString(string(data), "")
	text = linuxInt.ReplaceAllString(text, "long") // numbers hold addresses
	var b, threads strings.Builder
	b.WriteString("#include <lkmm.h>\n#include <pthread.h>\n#include <assert.h>\n#include <stdint.h>\n" +
		"#define spin_lock(l) spin_lock((spinlock_t *)(l))\n#define spin_unlock(l) spin_unlock((spinlock_t *)(l))\n" +
		"#define spin_is_locked(l) spin_is_locked((spinlock_t *)(l))\n")
	for _, v := range test.Vars {
		fmt.Fprintf(&b, "static long g_%s[%d];\n", v.Name, len(v.Init))
	}
	for _, v := range test.Vars {
		fmt.Fprintf(&b, "static long g_%s[] = {", v.Name)
		for _, x := range v.Init {
			fmt.Fprintf(&b, "%s, ", linuxValue(x))
		}
		b.WriteString("};\n")
	}
	types := map[string]string{}
	count := 0
	for _, m := range linuxThread.FindAllStringSubmatchIndex(text, -1) {
		body, depth := text[m[1]:], 1
		for i, c := range body {
			if c == '{' {
				depth++
			}
			if c == '}' {
				if depth--; depth == 0 {
					body = body[:i]
					break
				}
			}
		}
		linuxBody(&threads, test, count, text[m[4]:m[5]], body, types)
		count++
	}
	for _, l := range test.Observed() {
		if l.Thread >= 0 {
			fmt.Fprintf(&b, "static long o_%d_%s;\n", l.Thread, l.Reg)
		}
	}
	b.WriteString(threads.String())
	b.WriteString("int main(void)\n{\n\tpthread_t t[16];\n")
	for i := range count {
		fmt.Fprintf(&b, "\tpthread_create(&t[%d], 0, P%d, 0);\n", i, i)
	}
	for i := range count {
		fmt.Fprintf(&b, "\tpthread_join(t[%d], 0);\n", i)
	}
	not := "!"
	if test.Cond.Quant == litmus.ForAll {
		not = ""
	}
	fmt.Fprintf(&b, "\tassert(%s(%s));\n}\n", not, linuxProp(test.Cond.Prop, types))
	return b.String(), test
}

// linuxBody translates a thread: parameters become local variables, and locals are declared first.
func linuxBody(b *strings.Builder, test *litmus.Test, n int, params, body string, types map[string]string) {
	fmt.Fprintf(b, "static void *P%d(void *unused)\n{\n", n)
	declared := map[string]bool{}
	for p := range strings.SplitSeq(params, ",") {
		if m := linuxParam.FindStringSubmatch(strings.Join(strings.Fields(p), " ")); m != nil {
			fmt.Fprintf(b, "\t%s %s = (%s)g_%s;\n", m[1], m[2], m[1], m[2])
			declared[m[2]] = true
			types[m[2]] = strings.TrimSuffix(m[1], "*")
		}
	}
	body = linuxLocal.ReplaceAllStringFunc(body, func(s string) string {
		m := linuxLocal.FindStringSubmatch(s)
		if !declared[m[3]] {
			fmt.Fprintf(b, "\t%s %s%s = 0;\n", m[1], m[2], m[3])
			declared[m[3]] = true
		}
		if m[4] == ";" {
			return ";"
		}
		return m[3] + " ="
	})
	body = linuxDeref.ReplaceAllString(body, "*(long *)($1)")
	for _, m := range linuxAssign.FindAllStringSubmatch(body, -1) {
		if !declared[m[1]] {
			fmt.Fprintf(b, "\tlong %s = 0;\n", m[1])
			declared[m[1]] = true
		}
	}
	fmt.Fprintf(b, "%s\n", body)
	for _, l := range test.Observed() {
		if l.Thread == n && declared[string(l.Reg)] {
			fmt.Fprintf(b, "\tWRITE_ONCE(o_%d_%s, (long)%s);\n", n, l.Reg, l.Reg)
		}
	}
	b.WriteString("\treturn 0;\n}\n")
}

func linuxValue(v litmus.Value) string {
	if v.Kind == litmus.Addr {
		return "(long)g_" + v.Sym
	}
	return fmt.Sprint(int64(v.Int))
}

// linuxProp translates a proposition.
func linuxProp(p *litmus.Prop, types map[string]string) string {
	args := func(op string) string {
		var s []string
		for _, a := range p.Args {
			s = append(s, linuxProp(a, types))
		}
		return "(" + strings.Join(s, op) + ")"
	}
	loc := func(l litmus.Loc) string {
		if l.Thread >= 0 {
			return fmt.Sprintf("o_%d_%s", l.Thread, l.Reg)
		}
		typ := types[l.Var]
		switch strings.TrimSpace(typ) {
		case "", "atomic_t", "spinlock_t":
			typ = "int"
		}
		return fmt.Sprintf("(long)*(%s *)&g_%s[%d]", typ, l.Var, max(l.Index, 0))
	}
	switch p.Kind {
	case litmus.PTrue:
		return "1"
	case litmus.PNot:
		return "!" + linuxProp(p.Args[0], types)
	case litmus.PAnd:
		return args(" && ")
	case litmus.POr:
		return args(" || ")
	case litmus.PImplies:
		return "(!" + linuxProp(p.Args[0], types) + " || " + linuxProp(p.Args[1], types) + ")"
	case litmus.PAtom:
		op := " == "
		if p.Atom.NotEqual {
			op = " != "
		}
		right := linuxValue(p.Atom.Value)
		if p.Atom.Other != nil {
			right = loc(*p.Atom.Other)
		}
		return "(" + loc(p.Atom.Loc) + op + right + ")"
	}
	return "0"
}
