package brute

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLitmus checks testdata/litmus.tsv.
func TestLitmus(t *testing.T) {
	file := "testdata/litmus.tsv"
	if f := os.Getenv("LITMUS"); f != "" {
		file = f
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		p, err := Parse(f[2])
		if err != nil {
			t.Error(err)
			continue
		}
		pos, neg := 0, 0
		for _, x := range Enumerate(p, Model(f[1]).Raw()) {
			if holds(t, f[3], &x) {
				pos++
			} else {
				neg++
			}
		}
		if f[6] != "" {
			if got := fmt.Sprint(pos, neg); got != f[6]+" "+f[7] {
				t.Errorf("%s: %s %s got %s want %s %s", f[0], f[2], f[3], got, f[6], f[7])
			}
			continue
		}
		var got bool
		switch f[4] {
		case "exists":
			got = pos > 0
		case "forall":
			got = neg == 0
		default:
			got = pos == 0
		}
		if got != (f[5] == "yes") {
			t.Errorf("%s: %s %s got %v want %s", f[0], f[2], f[3], got, f[5])
		}
	}
}

// holds evaluates a condition of | & ! ( ) and equations: of registers, 0:r0=1, and of the last values of locations, x=1.
func holds(t *testing.T, cond string, x *Execution) bool {
	rest := cond
	var or func() bool
	accept := func(s string) (ok bool) {
		rest, ok = strings.CutPrefix(rest, s)
		return ok
	}
	var unary func() bool
	unary = func() bool {
		switch {
		case accept("!"):
			return !unary()
		case accept("("):
			v := or()
			if !accept(")") {
				t.Fatalf("%s: expected ) before %q", cond, rest)
			}
			return v
		case accept("true"):
			return true
		case accept("false"):
			return false
		}
		n := strings.IndexAny(rest+")", "|&)")
		name, val, ok := strings.Cut(rest[:n], "=")
		if !ok {
			t.Fatalf("%s: %q is no equation", cond, rest[:n])
		}
		rest = rest[n:]
		return fmt.Sprint(final(x)[name]) == val
	}
	and := func() bool {
		v := unary()
		for accept("&") {
			v = unary() && v
		}
		return v
	}
	or = func() bool {
		v := and()
		for accept("|") {
			v = and() || v
		}
		return v
	}
	v := or()
	if rest != "" {
		t.Fatalf("%s: unexpected %q", cond, rest)
	}
	return v
}

// final returns the last values of the registers, as 0:r0, and of the locations.
func final(x *Execution) map[string]uint32 {
	out := make(map[string]uint32)
	for i, evs := range x.Threads {
		r := x.Prog.Threads[i].runner(reads(evs))
		for j, name := range x.Prog.Threads[i].Regs {
			out[fmt.Sprintf("%d:%s", i, name)] = r.regs[j]
		}
	}
	for l, ws := range x.Co {
		if n := len(ws); n > 0 {
			out[x.Prog.Locs[l]] = x.Threads[ws[n-1].Thread][ws[n-1].Index].Val
		}
	}
	return out
}

// reads returns what the reads of a thread receive.
func reads(evs []Event) (vals []uint32) {
	for _, e := range evs {
		if e.Kind == R {
			vals = append(vals, e.Val)
		}
	}
	return vals
}
