package cat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/short"
)

// exhaustive yields every candidate of a program whose events do not depend on values: all rf, all co.
func exhaustive(p *brute.Prog, yield func(c *candidate)) {
	e := brute.Enumerate(p, brute.SC)[0]
	c := &candidate{threads: e.Threads, co: make([][]brute.Ref, len(p.Locs))}
	var reads []*brute.Event
	writes := make([][]brute.Ref, len(p.Locs))
	for t, evs := range c.threads {
		for i := range evs {
			switch e := &evs[i]; e.Kind {
			case brute.R:
				reads = append(reads, e)
			case brute.W:
				writes[e.Loc] = append(writes[e.Loc], brute.Ref{Thread: t, Index: i})
			}
		}
	}
	var chooseRf func(k int)
	var chooseCo func(l int)
	chooseCo = func(l int) {
		if l == len(writes) {
			chooseRf(0)
			return
		}
		permute(writes[l], 0, func(order []brute.Ref) {
			c.co[l] = slices.Clone(order)
			chooseCo(l + 1)
		})
	}
	chooseRf = func(k int) {
		if k == len(reads) {
			yield(c)
			return
		}
		r := reads[k]
		r.Src, r.Val = brute.Init, 0
		chooseRf(k + 1)
		for _, w := range writes[r.Loc] {
			r.Src, r.Val = w, c.threads[w.Thread][w.Index].Val
			chooseRf(k + 1)
		}
	}
	chooseCo(0)
}

func permute[T any](s []T, k int, yield func([]T)) {
	if k == len(s) {
		yield(s)
		return
	}
	for i := k; i < len(s); i++ {
		s[k], s[i] = s[i], s[k]
		permute(s, k+1, yield)
		s[k], s[i] = s[i], s[k]
	}
}

// values are what the reads received, in the order of the threads, and the last value of each location.
func (c *candidate) values() string {
	var b strings.Builder
	for _, evs := range c.threads {
		for _, e := range evs {
			if e.Kind == brute.R {
				fmt.Fprint(&b, e.Val)
			}
		}
	}
	b.WriteByte('/')
	for _, ws := range c.co {
		v := uint32(0)
		if n := len(ws); n > 0 {
			v = c.threads[ws[n-1].Thread][ws[n-1].Index].Val
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

// allowed reports whether a machine finds a candidate with these values of the reads consistent; values may
// also be reads/lasts.
func allowed(t *testing.T, m *Machine, text, values string, fill func(c *candidate, x *Exec)) (yes bool) {
	t.Helper()
	p, err := brute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x := NewExec(m.prog.voc, 0)
	found := false
	exhaustive(p, func(c *candidate) {
		if !strings.HasPrefix(c.values(), values) {
			return
		}
		found = true
		fill(c, x)
		ok, err := m.Consistent(x)
		if err != nil {
			t.Fatal(err)
		}
		yes = yes || ok
	})
	if !found {
		t.Fatalf("%s: no candidate with %s", text, values)
	}
	return yes
}

// TestShapes compares the models with brute on all candidates of the classic shapes, with every
// way to order the two accesses of a thread.
func TestShapes(t *testing.T) {
	links := map[brute.Model][]string{
		brute.ARMv8: {"", "F.dmb.sy", "F.dmb.ld", "F.dmb.st", "F.isb"},
		brute.ARMv7: {"", "F.dmb.sy", "F.dmb.st", "F.isb"},
		brute.Power: {"", "F.sync", "F.lwsync", "F.eieio", "F.isync"},
		brute.RISCV: {"", "F.fence.rw.rw", "F.fence.tso", "F.fence.r.rw", "F.fence.w.w"},
		brute.IMM:   {"", "F.sc", "F.acqrel"},
		brute.RC11:  {"", "F.sc", "F.rel", "F.acq"},
		brute.TSO:   {"", "F.sc"},
		brute.PSO:   {"", "F.sc", "F.rel"},
	}
	modes := map[brute.Model][2][]string{ // of loads and of stores
		brute.ARMv8: {{"", ".A", ".Q"}, {"", ".L"}},
		brute.IMM:   {{"", ".acq", ".sc"}, {"", ".rel", ".sc"}},
		brute.RC11:  {{"", ".acq", ".sc"}, {"", ".rel", ".sc"}},
	}
	for m, fences := range links {
		t.Run(string(m), func(t *testing.T) {
			voc, fill, twin := c11, (*candidate).exec, m
			if slices.Contains([]brute.Model{brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV}, m) {
				voc, fill, twin = hardwareVoc, hardwareFill(m), m.Raw()
			}
			machine := compileFor(t, string(m), voc, Options{Given: []string{"co"}}).NewMachine()
			x := NewExec(voc, 0)
			count, consistent := 0, 0
			var all []string
			programs(fences, modes[m], slices.Contains(brute.Weaker, m), func(text string) { all = append(all, text) })
			for _, text := range short.Every(4, all) {
				p := brute.MustParse(text)
				want := map[string]bool{}
				for _, e := range brute.Enumerate(p, twin) {
					want[e.Key()] = true
				}
				exhaustive(p, func(c *candidate) {
					key := (&brute.Execution{Prog: p, Threads: c.threads, Co: c.co}).Key()
					fill(c, x)
					got, err := machine.Consistent(x)
					if err != nil {
						t.Fatal(err)
					}
					if count++; got {
						consistent++
					}
					if got != want[key] {
						t.Fatalf("%s under %s:\n%scat says %v, brute %v", text, m, key, got, !got)
					}
				})
			}
			t.Logf("%d candidates, %d consistent", count, consistent)
		})
	}
}

// programs yields SB, MP, LB, S, R, 2+2W with all links in both threads, and WRC, ISA2 and IRIW with all
// links in two threads.
func programs(fences []string, modes [2][]string, deps bool, yield func(text string)) {
	for i := range modes {
		if modes[i] == nil {
			modes[i] = []string{""}
		}
	}
	// pairs returns the threads that access a, then b; each is R or W, the register is r or s.
	pairs := func(kinds, a, b string) (out []string) {
		access := func(kind byte, reg, loc string, mode string) string {
			if kind == 'R' {
				return reg + "=" + loc + mode
			}
			return loc + "=1" + mode
		}
		kindModes := func(kind byte) []string {
			if kind == 'R' {
				return modes[0]
			}
			return modes[1]
		}
		for _, m1 := range kindModes(kinds[0]) {
			for _, m2 := range kindModes(kinds[1]) {
				first, second := access(kinds[0], "r", a, m1), access(kinds[1], "s", b, m2)
				for _, f := range fences {
					if f != "" && (m1 != "" || m2 != "") {
						continue
					}
					out = append(out, first+"; "+f+"; "+second)
					if deps && kinds[0] == 'R' && m1 == "" && m2 == "" {
						out = append(out, first+"; if(r==7){}; "+f+"; "+second)
					}
				}
				if deps && kinds[0] == 'R' && m1 == "" {
					out = append(out, first+"; "+access(kinds[1], "s", "["+b+"+r]", m2))
					if kinds[1] == 'W' {
						out = append(out, first+"; "+b+"=r*0+1"+m2)
					}
				}
			}
		}
		return out
	}
	for _, shape := range []string{"WR WR", "WW RR", "RW RW", "WW RW", "WW WR", "WW WW"} {
		for _, one := range pairs(shape[:2], "x", "y") {
			for _, two := range pairs(shape[3:], "y", "x") {
				yield(one + " || " + two)
			}
		}
	}
	// Three and four threads, without modes.
	modes = [2][]string{{""}, {""}}
	for _, one := range pairs("RW", "x", "y") {
		for _, two := range pairs("RR", "y", "x") {
			yield("x=1 || " + one + " || " + two) // WRC
		}
	}
	for _, one := range pairs("RR", "x", "y") {
		for _, two := range pairs("RR", "y", "x") {
			yield("x=1 || y=1 || " + one + " || " + two) // IRIW
		}
	}
	for _, one := range pairs("RW", "y", "z") {
		for _, two := range pairs("RR", "z", "x") {
			for _, zero := range pairs("WW", "x", "y") {
				yield(zero + " || " + one + " || " + two) // ISA2
			}
		}
	}
}

// TestVerdicts checks verdicts of the literature: the values of the reads in the order of the text, and who
// allows them.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct{ name, text, values, allowed string }{
		{"SB", "x=1; r=y || y=1; s=x", "00", "armv8 armv7 power riscv imm tso pso rc11"},
		{"SB+fences", "x=1; F.sc; r=y || y=1; F.sc; s=x", "00", ""},
		{"MP", "x=1; y=1 || r=y; s=x", "10", "armv8 armv7 power riscv imm pso rc11"},
		{"MP+rel+acq", "x=1; y=1.rel || r=y.acq; s=x", "10", "armv7 power riscv pso"}, // hardware: modes mean nothing here
		{"MP+fence+addr", "x=1; F.sc; y=1 || r=y; s=[x+r]", "10", "imm rc11"},
		{"LB", "r=x; y=1 || s=y; x=1", "11", "armv8 armv7 power riscv imm"},
		{"LB+datas", "r=x; y=r*0+1 || s=y; x=s*0+1", "11", ""},
		{"LB+data+po", "r=x; y=r*0+1 || s=y; x=1", "11", "armv8 armv7 power riscv imm"},
		{"WRC+addrs", "x=1 || r=x; [y+r]=1 || s=y; u=[x+s]", "110", "armv7 power imm rc11"},
		{"IRIW+addrs", "x=1 || y=1 || r=x; s=[y+r] || u=y; v=[x+u]", "1010", "armv7 power imm rc11"},
		{"IRIW+fences", "x=1 || y=1 || r=x; F.sc; s=y || u=y; F.sc; v=x", "1010", ""},
		{"2+2W", "x=1; y=2 || y=1; x=2", "/11", "armv8 armv7 power riscv imm pso rc11"},
		{"CoRR", "x=1 || r=x; s=x", "10", ""},
		{"S+rel+ctrl", "x=2; F.sc; y=1 || r=y; if(r==7){}; x=1", "1/21", "imm rc11"},
	} {
		for _, name := range []string{"armv8", "armv7", "power", "riscv", "imm", "tso", "pso", "rc11", "sc"} {
			if name == "armv8" && strings.Contains(test.name, "rel+acq") {
				continue // brute's tags, in TestShapes
			}
			m, voc, fill := brute.Model(name), c11, (*candidate).exec
			if slices.Contains([]brute.Model{brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV}, m) {
				voc, fill = hardwareVoc, hardwareFill(m)
			}
			machine := compileFor(t, name, voc, Options{Given: []string{"co"}}).NewMachine()
			want := slices.Contains(strings.Fields(test.allowed), name)
			if got := allowed(t, machine, test.text, test.values, fill); got != want {
				t.Errorf("%s under %s: allowed %v, want %v", test.name, name, got, want)
			}
		}
	}
}

// java is the vocabulary of herd's Java tests.
var java = NewVocabulary(
	[]string{"R", "W", "F", "IW", "FW", "O", "RA", "REL", "ACQ", "V", "RMW"},
	[]string{"po", "rf", "co", "loc", "int", "rmw"})

// javaFill reads na as plain, rlx as opaque, sc as volatile.
func javaFill(c *candidate, x *Exec) {
	y := NewExec(c11, 0)
	c.exec(y)
	x.Reset(y.N)
	for _, s := range []string{"R", "W", "F", "IW", "FW", "RMW"} {
		x.Set(s).Copy(y.Set(s))
	}
	for _, r := range x.Voc.Rels {
		x.Rel(r).Copy(y.Rel(r))
	}
	for from, to := range map[string][]string{"RLX": {"O"}, "ACQ": {"RA", "ACQ"}, "REL": {"RA", "REL"}, "ACQ_REL": {"RA", "ACQ", "REL"}, "SC": {"V"}} {
		for _, s := range to {
			x.Set(s).Union(x.Set(s), y.Set(from))
		}
	}
}

// TestJAM checks verdicts of the JAM21 authors' herd model, and of a reconstruction of JAM19.
func TestJAM(t *testing.T) {
	for _, test := range []struct {
		name, text, values string
		jam21, jam19       bool
	}{
		{"MP rel acq", "x=1.na; y=1.rel || r=y.acq; s=x.na", "10", false, false},
		{"MP rel acq 01", "x=1.na; y=1.rel || r=y.acq; s=x.na", "01", true, true},
		{"MP vol", "x=1.na; y=1.sc || r=y.sc; s=x.na", "10", false, false},
		{"MP opaque", "x=1; y=1 || r=y; s=x", "10", true, true},
		{"MP fences", "x=1.na; F.rel; y=1.na || r=y.na; F.acq; s=x.na", "10", false, false},
		{"SB rel acq", "x=1.rel; r=y.acq || y=1.rel; s=x.acq", "00", true, true},
		{"SB vol", "x=1.sc; r=y.sc || y=1.sc; s=x.sc", "00", false, false},
		{"SB full fences", "x=1.na; F.sc; r=y.na || y=1.na; F.sc; s=x.na", "00", false, false},
		{"LB plain", "r=x.na; y=1.na || s=y.na; x=1.na", "11", true, true},
		{"LB opaque", "r=x; y=1 || s=y; x=1", "11", false, false},
		{"vol is no fence", "x=1.na; b=1.sc; y=1.na || r=y.na; s=b.sc; u=x.na", "100", true, false},
		{"observed vol", "x=1.na; b=1.sc; y=1.na || r=y.na; s=b.sc; u=x.na", "110", false, false},
		{"read twice over vol 110", "x=1.na; y=1.sc || r=x.na; s=y.sc; u=x.na", "110", false, false},
		{"read twice over vol 100", "x=1.na; y=1.sc || r=x.na; s=y.sc; u=x.na", "100", true, false},
		{"fenced read twice", "x=1.na; F.rel; y=1.na || r=x.na; s=y.na; F.acq; u=x.na", "100", false, false},
		{"IRIW vol", "x=1.sc || y=1.sc || r=x.sc; s=y.sc || u=y.sc; v=x.sc", "1010", false, false},
		{"IRIW vol writes", "x=1.sc || y=1.sc || r=x.acq; s=y.acq || u=y.acq; v=x.acq", "1010", true, true},
		{"IRIW vol reads", "x=1 || y=1 || r=x.sc; s=y.sc || u=y.sc; v=x.sc", "1010", false, false},
		{"IRIW full fences", "x=1.na || y=1.na || r=x.na; F.sc; s=y.na; F.acq || u=y.na; F.sc; v=x.na; F.acq", "1010", false, false},
		{"vol write plain read", "x=1.na; c=1.sc || r=c.na; s=x.na", "10", true, true},
		{"plain write vol read", "x=1.na; c=1.na || r=c.sc; s=x.na", "10", true, true},
		{"not SC on Power", "x=2.sc; r=y.sc || y=1.sc || s=y.sc; x=1.sc || u=x.sc; v=x.sc", "0112", false, true},
	} {
		for _, m := range []struct {
			name, variant string
			want          bool
		}{{"jam21", "", test.jam21}, {"jam21", "direct", test.jam21}, {"jam19", "", test.jam19}} {
			machine := compileFor(t, m.name, java, Options{Variants: []string{m.variant}}).NewMachine()
			if got := allowed(t, machine, test.text, test.values, javaFill); got != m.want {
				t.Errorf("%s under %s %s: allowed %v, want %v", test.name, m.name, m.variant, got, m.want)
			}
		}
	}
}

// TestC11 checks verdicts of the C11 standard.
func TestC11(t *testing.T) {
	m := compileFor(t, "c11", c11, Options{Given: []string{"co"}}).NewMachine()
	for _, test := range []struct {
		name, text, values string
		want               bool
	}{
		{"MP", "x=1; y=1 || r=y; s=x", "10", true},
		{"MP+rel+acq", "x=1; y=1.rel || r=y.acq; s=x", "10", false},
		{"MP+relf+acqf", "x=1; F.rel; y=1 || r=y; F.acq; s=x", "10", false},
		{"MP in a release sequence", "x=1; y=1.rel; y=2 || r=y.acq; s=x", "20", false},
		{"MP through an update", "x=1; y=1.rel || u=XCHG(y,2) || r=y.acq; s=x", "120", false},
		{"SB", "x=1.rel; r=y.acq || y=1.rel; s=x.acq", "00", true},
		{"SB+scs", "x=1.sc; r=y.sc || y=1.sc; s=x.sc", "00", false},
		{"SB+scf", "x=1; F.sc; r=y || y=1; F.sc; s=x", "00", false},
		{"LB", "r=x; y=1 || s=y; x=1", "11", true},
		{"LB+acq+rel", "r=x.acq; y=1.rel || s=y.acq; x=1.rel", "11", false},
		{"out of thin air", "r=x; y=r*0+1 || s=y; x=s*0+1", "11", true},
		{"IRIW+acqs", "x=1.rel || y=1.rel || r=x.acq; s=y.acq || u=y.acq; v=x.acq", "1010", true},
		{"IRIW+scs", "x=1.sc || y=1.sc || r=x.sc; s=y.sc || u=y.sc; v=x.sc", "1010", false},
		{"CoRR", "x=1 || r=x; s=x", "10", false},
		{"WRC+acq", "x=1.rel || r=x.acq; y=1.rel || s=y.acq; u=x", "110", false},
	} {
		if got := allowed(t, m, test.text, test.values, (*candidate).exec); got != test.want {
			t.Errorf("%s: allowed %v, want %v", test.name, got, test.want)
		}
	}
}
