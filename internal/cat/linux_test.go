package cat

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/event"
)

// linuxTags is what the kernel's model calls the fences that brute has tags for.
var linuxTags = map[event.Tag]string{
	event.SmpMB: "Mb", event.SmpRMB: "Rmb", event.SmpWMB: "Wmb", event.BeforeAtomic: "Before-atomic", event.AfterAtomic: "After-atomic",
	event.AfterSpinlock: "After-spinlock", event.AfterUnlockLock: "After-unlock-lock",
	event.RCULock: "Rcu-lock", event.RCUUnlock: "Rcu-unlock", event.SyncRCU: "Sync-rcu",
}

var linuxVoc = NewVocabulary(append(slices.Clone(linux.Sets), "Noreturn"), linux.Rels)

// fillLinux fills an execution of a program with the kernel's tags, without locks and sc accesses but read-modify-writes.
func fillLinux(c *candidate, x *Exec) {
	y := NewExec(c11, 0)
	c.exec(y)
	x.Reset(y.N)
	for _, s := range []string{"R", "W", "F", "IW", "FW"} {
		x.Set(s).Copy(y.Set(s))
	}
	for _, r := range x.Voc.Rels {
		if r != "ctrl" {
			x.Rel(r).Copy(y.Rel(r))
		}
	}
	k := len(c.co)
	for _, evs := range c.threads {
		for i, e := range evs {
			succeeds := e.Locked && (e.Kind == brute.W || i+1 < len(evs) && evs[i+1].Kind == brute.W && evs[i+1].Locked)
			if e.Locked {
				x.Set("RMW").Add(k)
			}
			if name := linuxSet(e, succeeds); name != "" {
				x.Set(name).Add(k)
			}
			for j := range i {
				if e.Open.Has(j) { // control dependencies end with the arms
					x.Rel("ctrl").Add(k-i+j, k)
				}
			}
			k++
		}
	}
}

// linuxSet returns what the event e is, "" if it is plain or nothing.
func linuxSet(e brute.Event, succeeds bool) string {
	switch {
	case e.Kind == brute.F && e.Tag == event.NoTag && e.Mode > event.Rlx:
		return "Mb"
	case e.Kind == brute.F:
		return linuxTags[e.Tag]
	case e.Mode == event.NA:
		return ""
	case succeeds && (e.Tag == event.Full || e.Mode == event.SC):
		return "Mb"
	case e.Kind == brute.R && e.Tag == event.Noreturn:
		return "Noreturn"
	case e.Kind == brute.R && e.Mode.IsAcq():
		return "Acquire"
	case e.Kind == brute.W && e.Mode.IsRel():
		return "Release"
	}
	return "Once"
}

// TestLinuxAgainstBrute compares the kernel's model, and what it says of races, with brute. brute leaves out values from thin air, which
// plain accesses could have.
func TestLinuxAgainstBrute(t *testing.T) {
	bell, err := Embedded("lkmm.bell")
	if err != nil {
		t.Fatal(err)
	}
	m := compileFor(t, "lkmm", linuxVoc, Options{Given: []string{"co"}, Bell: bell}).NewMachine()
	rnd := rand.New(rand.NewPCG(5, 7))
	x := NewExec(linuxVoc, 0)
	candidates, consistent, races := 0, 0, 0
	for done := 0; done < *programCount/2; {
		na := rnd.IntN(2) == 0
		p := brute.Random(rnd, brute.Config{Total: 7, PerThread: 4, Threads: 3, Deps: rnd.IntN(2) == 0, Tags: brute.LKMM, NA: na})
		if s := p.String(); strings.Contains(s, ".lock") || strings.Contains(s, ".unlock") || strings.Contains(s, "sc") {
			continue
		}
		done++
		allowed, all := map[string]*brute.Execution{}, map[string]*candidate{}
		add := func(c *candidate) { all[(&brute.Execution{Prog: p, Threads: c.threads, Co: c.co}).Key()] = c }
		for _, e := range brute.Enumerate(p, brute.LKMM) {
			allowed[e.Key()] = &e
			add(&candidate{e.Threads, e.Co})
			perturb(&e, add)
		}
		for _, other := range []brute.Model{brute.Power.Raw(), brute.ARMv8.Raw(), brute.RISCV.Raw(), brute.RA} {
			for _, e := range brute.Enumerate(p, other) {
				add(&candidate{e.Threads, e.Co})
			}
		}
		for key, c := range all {
			fillLinux(c, x)
			candidates++
			var ok, race bool
			if err := m.Run(x, func(r *Result) bool {
				ok, race = r.OK(), slices.Contains(r.Flags, "data-race")
				return true
			}); err != nil {
				t.Fatal(err)
			}
			want := allowed[key]
			switch {
			case ok != (want != nil) && !(ok && na):
				t.Fatalf("%v\n%scat says %v", p, key, ok)
			case ok && want != nil && race != want.Race:
				t.Fatalf("%v\n%srace: cat says %v", p, key, race)
			case ok && race:
				races++
			}
			if ok {
				consistent++
			}
		}
	}
	t.Logf("%d candidates, %d consistent, %d with races", candidates, consistent, races)
}

// TestLinuxShapes checks the column lkmm of testdata/litmus-hw.tsv, whose head says where the verdicts come from, but for programs with
// sc accesses, which the kernel does not have.
func TestLinuxShapes(t *testing.T) {
	text, err := os.ReadFile("../../testdata/litmus-hw.tsv")
	if err != nil {
		t.Fatal(err)
	}
	bell, err := Embedded("lkmm.bell")
	if err != nil {
		t.Fatal(err)
	}
	m := compileFor(t, "lkmm", linuxVoc, Options{Given: []string{"co"}, Bell: bell}).NewMachine()
	x := NewExec(linuxVoc, 0)
	scAccess := regexp.MustCompile(`[^F]\.sc`)
	const name, program, outcome = 0, 1, 2
	column, cells := -1, 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if column < 0 {
			column = slices.Index(f, "lkmm")
			continue
		}
		want := f[column]
		if want == "-" || scAccess.MatchString(f[program]) {
			continue
		}
		cells++
		got := "forbidden"
		for _, e := range brute.Enumerate(brute.MustParse(f[program]), brute.Candidates) {
			if yes, err := e.Holds(f[outcome]); err != nil {
				t.Fatal(err)
			} else if !yes {
				continue
			}
			fillLinux(&candidate{e.Threads, e.Co}, x)
			if err := m.Run(x, func(r *Result) bool {
				if r.OK() {
					got = "allowed"
				}
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%s)\n%s", f[name], got, want, f[len(f)-1], f[program])
		}
	}
	t.Logf("%d cells", cells)
}
