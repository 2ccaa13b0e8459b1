package cat

import (
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
	"ravel/internal/relation"
)

// linux is the vocabulary of herd's tests in the kernel's C.
var linux = NewVocabulary(
	[]string{
		"R", "W", "F", "IW", "FW", "RMW", "Once", "Release", "Acquire", "Mb", "Rmb", "Wmb", "Before-atomic", "After-atomic",
		"After-spinlock", "After-unlock-lock", "Rcu-lock", "Rcu-unlock", "Sync-rcu", "LKR", "LKW", "UL", "LF",
	},
	[]string{"po", "rf", "co", "loc", "int", "rmw", "addr", "data", "ctrl"})

// linuxFill reads na as plain, rlx as once, and tags of Power as RCU.
func linuxFill(c *candidate, x *Exec) {
	y := NewExec(c11, 0)
	c.exec(y)
	x.Reset(y.N)
	for _, s := range []string{"R", "W", "F", "IW", "FW", "RMW"} {
		x.Set(s).Copy(y.Set(s))
	}
	for _, r := range x.Voc.Rels {
		x.Rel(r).Copy(y.Rel(r))
	}
	accesses := relation.NewSet(y.N)
	accesses.Union(y.Set("R"), y.Set("W"))
	for from, to := range map[string][2]string{"RLX": {"Once"}, "ACQ": {"Acquire", "Rmb"}, "REL": {"Release", "Wmb"}, "SC": {"", "Mb"}} {
		for i, s := range to {
			if s != "" {
				part := relation.NewSet(y.N)
				part.Intersect(y.Set(from), []*relation.Set{accesses, y.Set("F")}[i])
				x.Set(s).Union(x.Set(s), part)
			}
		}
	}
	k := len(c.co)
	for _, evs := range c.threads {
		for _, e := range evs {
			if name, ok := map[event.Tag]string{event.SYNC: "Sync-rcu", event.ISYNC: "Rcu-lock", event.EIEIO: "Rcu-unlock"}[e.Tag]; ok {
				x.Set(name).Add(k)
			}
			k++
		}
	}
}

func lkmm(t testing.TB, opts Options) *Machine {
	t.Helper()
	bell, err := Embedded("lkmm.bell")
	if err != nil {
		t.Fatal(err)
	}
	opts.Bell = bell
	return compileFor(t, "lkmm", linux, opts).NewMachine()
}

// TestLKMM checks verdicts of tools/memory-model/litmus-tests and of its documentation.
func TestLKMM(t *testing.T) {
	m := lkmm(t, Options{Given: []string{"co"}})
	for _, test := range []struct {
		name, text, values string
		want               bool
	}{
		{"MP+poonceonces", "x=1; y=1 || r=y; s=x", "10", true},
		{"MP+fencewmbonceonce+fencermbonceonce", "x=1; F.rel; y=1 || r=y; F.acq; s=x", "10", false},
		{"MP+pooncerelease+poacquireonce", "x=1; y=1.rel || r=y.acq; s=x", "10", false},
		{"MP+onceassign+derefonce", "x=1; y=1.rel || r=y; s=[x+r]", "10", false},
		{"SB+poonceonces", "x=1; r=y || y=1; s=x", "00", true},
		{"SB+fencembonceonces", "x=1; F.sc; r=y || y=1; F.sc; s=x", "00", false},
		{"SB+rfionceonce-poonceonces", "x=1; r=x; s=y || y=1; u=y; v=x", "1010", true},
		{"LB+poonceonces", "r=x; y=1 || s=y; x=1", "11", true},
		{"LB+fencembonceonce+ctrlonceonce", "r=x; if(r==7){}; y=1 || s=y; F.sc; x=1", "11", false},
		{"LB+poacquireonce+pooncerelease", "r=x; y=1.rel || s=y.acq; x=1", "11", false},
		{"R+poonceonces", "x=1; y=1 || y=2; r=x", "0/12", true},
		{"R+fencembonceonces", "x=1; F.sc; y=1 || y=2; F.sc; r=x", "0/12", false},
		{"S+poonceonces", "x=2; y=1 || r=y; x=1", "1/21", true},
		{"S+fencewmbonceonce+poacquireonce", "x=2; F.rel; y=1 || r=y.acq; x=1", "1/21", false},
		{"WRC+poonceonces+Once", "x=1 || r=x; y=1 || s=y; u=x", "110", true},
		{"WRC+pooncerelease+fencermbonceonce+Once", "x=1 || r=x; y=1.rel || s=y; F.acq; u=x", "110", false},
		{"ISA2+poonceonces", "x=1; y=1 || r=y; z=1 || s=z; u=x", "110", true},
		{"ISA2+pooncerelease+poacquirerelease+poacquireonce", "x=1; y=1.rel || r=y.acq; z=1.rel || s=z.acq; u=x", "110", false},
		{"IRIW+poonceonces+OnceOnce", "x=1 || y=1 || r=x; s=y || u=y; v=x", "1010", true},
		{"IRIW+fencembonceonces+OnceOnce", "x=1 || y=1 || r=x; F.sc; s=y || u=y; F.sc; v=x", "1010", false},
		{"Z6.0+pooncerelease+poacquirerelease+fencembonceonce", "x=1; y=1.rel || r=y.acq; z=1.rel || z=2; F.sc; s=x", "10/112", true},
		{"CoRR+poonceonce+Once", "x=1 || r=x; s=x", "10", false},
		{"RCU: a grace period waits", "F.isync; r=x; s=y; F.eieio || y=1; F.sync; x=1", "10", false},
		{"RCU: also the other way", "F.isync; x=1; y=1; F.eieio || r=y; F.sync; s=x", "10", false},
		{"RCU: two readers, one grace period", "F.isync; r=x; y=1; F.eieio || F.isync; s=y; z=1; F.eieio || u=z; F.sync; x=1", "111", true},
		{"RCU: two readers, two grace periods", "F.isync; r=x; y=1; F.eieio || F.isync; s=y; z=1; F.eieio || u=z; F.sync; w=1 || v=w; F.sync; x=1", "1111", false},
		{"RCU: nested", "F.isync; F.isync; r=x; F.eieio; s=y; F.eieio || y=1; F.sync; x=1", "10", false},
		{"RCU: after the section", "F.isync; r=x; F.eieio; s=y || y=1; F.sync; x=1", "10", false},
		{"RCU: before the section", "s=y; F.isync; F.eieio; r=x || y=1; F.sync; x=1", "01", true},
	} {
		if got := allowed(t, m, test.text, test.values, linuxFill); got != test.want {
			t.Errorf("%s: allowed %v, want %v", test.name, got, test.want)
		}
	}
}

// TestLKMMFlags checks flags: races and unbalanced sections, in some execution.
func TestLKMMFlags(t *testing.T) {
	m := lkmm(t, Options{Given: []string{"co"}})
	for _, test := range []struct{ text, want string }{
		{"x=1.na; y=1 || r=y; s=x.na", "data-race"},
		{"x=1.na; y=1.rel || r=y.acq; if(r==1){s=x.na}", ""},
		{"x=1.na; F.rel; y=1 || r=y; F.acq; if(r==1){s=x.na}", ""},
		{"F.isync; r=x", "unmatched-rcu-lock"},
		{"r=x; F.eieio", "unmatched-rcu-unlock"},
		{"F.isync; F.isync; r=x; F.eieio", "unmatched-rcu-lock"},
		{"x=1.na; x=2", "mixed-accesses"},
	} {
		x := NewExec(linux, 0)
		flags := []string{}
		p := brute.MustParse(test.text)
		for _, e := range brute.Enumerate(p, brute.RA) {
			linuxFill(&candidate{e.Threads, e.Co}, x)
			if err := m.Run(x, func(r *Result) bool {
				if r.OK() {
					flags = append(flags, r.Flags...)
				}
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
		if got := slices.Contains(flags, test.want); got != (test.want != "") || test.want == "" && len(flags) > 0 {
			t.Errorf("%s: flags %v, want %s", test.text, flags, test.want)
		}
	}
}

// TestLocks checks that two critical sections are in one order or the other: of all things that the two locks may
// read, and all coherence orders, the model allows one for each.
func TestLocks(t *testing.T) {
	// Initial write 0 of the lock; LKR 1, LKW 2, UL 3 of one thread; 4, 5, 6 of the other.
	x := NewExec(linux, 7)
	for s, events := range map[string][]int{"W": {0, 2, 3, 5, 6}, "R": {1, 4}, "IW": {0}, "LKR": {1, 4}, "LKW": {2, 5}, "UL": {3, 6}} {
		for _, e := range events {
			x.Set(s).Add(e)
		}
	}
	x.Rel("rmw").Add(1, 2)
	x.Rel("rmw").Add(4, 5)
	for i := range 7 {
		for j := range 7 {
			x.Rel("loc").Add(i, j)
			if i > 0 && j > 0 && (i-1)/3 == (j-1)/3 {
				x.Rel("int").Add(i, j)
				if i < j {
					x.Rel("po").Add(i, j)
				}
			}
		}
	}
	m := lkmm(t, Options{})
	count := 0
	free := []int{0, 3, 6} // the writes of 0
	for _, first := range free {
		for _, second := range free {
			x.Rel("rf").Reset(7)
			x.Rel("rf").Add(first, 1)
			x.Rel("rf").Add(second, 4)
			if err := m.Run(x, func(r *Result) bool {
				if r.OK() {
					count++
				}
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if count != 2 {
		t.Errorf("%d executions, want 2", count)
	}
}
