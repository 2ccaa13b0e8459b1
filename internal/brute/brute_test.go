package brute

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
)

// counts are programs with the number of their executions (total coherence) under some
// models, and where the number comes from:
//
//	hand   counted by hand, the count is in the comment
//	jam    appendix C of the JAM21 thesis (rc11 column);
//	       the programs are the usual ones of these names, not copied from the files it counted
//	probe  GenMC and another enumerator agree, on programs of our own
//	xmm    tables 7.1, 7.4, 7.6 of the XMM thesis (rc11 column, slips corrected)
//	deps   an independent enumeration of executions with dependencies
//	models the definition of release sequences in C++20 and in RC11 (2017)
var counts = []struct {
	name, prog string
	want       map[Model]int
	source     string
}{
	// 4 outcomes; 0,0 needs the stores to pass the loads.
	{"SB", "x=1; a=y || y=1; b=x", n{SC: 3, TSO: 4, PSO: 4, RA: 4, RC11: 4, RC11of2017: 4}, "jam; sc, tso, pso, ra hand"},
	{"SB+4sc", "x=1.sc; a=y.sc || y=1.sc; b=x.sc", n{SC: 3, TSO: 4, RA: 4, RC11: 3}, "jam; sc, tso, ra hand"},
	{"SB+scfs", "x=1; F.sc; a=y || y=1; F.sc; b=x", n{SC: 3, TSO: 3, PSO: 3, RA: 4, RC11: 3}, "jam; others hand"},
	{"SB+2sc+scf", "x=1.sc; a=y.sc || y=1; F.sc; b=x", n{TSO: 4, RC11: 3}, "jam; tso hand"},
	{"SB+3sc+acq", "x=1.sc; a=y.sc || y=1.sc; b=x.acq", n{RC11: 4}, "jam"},
	{"SB+3sc+rel", "x=1.sc; a=y.sc || y=1.rel; b=x.sc", n{RC11: 4}, "jam"},
	{"SB+rfis", "x=1; a=x; b=y || y=1; c=y; d=x", n{SC: 3, TSO: 4, PSO: 4, RC11: 4}, "jam; others hand"},
	{"SB+acqrel fences", "x=1; F.acqrel; a=y || y=1; F.acqrel; b=x", n{TSO: 4, PSO: 4, RC11: 4}, "hand"},
	{"SB+RMWs", "XCHG(x,1); a=y || XCHG(y,1); b=x", n{SC: 3, TSO: 3, PSO: 3, RC11: 4}, "hand"},
	{"SB+failed CAS", "x=1; CAS(z,1,2); a=y || y=1; CAS(w,1,2); b=x", n{SC: 3, TSO: 3, PSO: 3, RC11: 4}, "hand"},
	{"SB3+sc", "x=1.sc; a=y.sc || y=1.sc; b=z.sc || z=1.sc; c=x.sc", n{SC: 7, TSO: 8, RC11: 7}, "probe; others hand"},
	{"SB3+scf", "x=1; F.sc; a=y || y=1; F.sc; b=z || z=1; F.sc; c=x", n{SC: 7, TSO: 7, RA: 8, RC11: 7}, "probe; others hand"},
	{"SB+gap+scfs", "x=1; z=1; F.sc; a=y || y=1; w=1; F.sc; b=x", n{RC11: 3, TSO: 3}, "probe; tso hand"},

	// 4 outcomes; 1,0 needs stores or loads to be reordered.
	{"MP", "x=1; y=1 || a=y; b=x", n{SC: 3, TSO: 3, PSO: 4, RA: 4, RC11: 4}, "hand"},
	{"MP+rel+acq", "x=1; y=1.rel || a=y.acq; b=x", n{SC: 3, TSO: 3, PSO: 4, RA: 3, RC11: 3}, "hand"},
	{"MP+rel+rlx", "x=1; y=1.rel || a=y; b=x", n{RA: 4, RC11: 4}, "hand"},
	{"MP+relf+acqf", "x=1; F.rel; y=1 || a=y; F.acq; b=x", n{PSO: 3, RA: 3, RC11: 3}, "hand"},
	{"MP+acqf", "x=1; F.acq; y=1 || a=y; b=x", n{PSO: 4, RC11: 4}, "hand"},
	{"MP+scf", "x=1; F.sc; y=1 || a=y; b=x", n{PSO: 3, RC11: 4}, "hand"},
	{"MP+RMW", "x=1; XCHG(y,1) || a=y; b=x", n{PSO: 3, TSO: 3, RC11: 4}, "hand"},
	{"MP+rel+acq, branch", "x=1.na; y=1.rel || a=y.acq; if(a==1){b=x.na}", n{RC11: 2}, "jam"},
	{"MP+rel+acqf, branch", "x=1.na; y=1.rel || a=y; if(a==1){F.acq; b=x.na}", n{RC11: 2}, "jam"},
	{"MP+relf+acq, branch", "x=1.na; F.rel; y=1 || a=y.acq; if(a==1){b=x.na}", n{RC11: 2}, "jam"},
	{"MP+relf+acqf, branch", "x=1.na; F.rel; y=1 || a=y; if(a==1){F.acq; b=x.na}", n{RC11: 2}, "jam"},
	// a=0: 2, a=1: 1; a=2 reads x=0 too, unless the release sequence has the same thread's stores.
	{"MP, relaxed store after the release", "x=1; y=1.rel; y=2 || a=y.acq; b=x", n{RA: 5, RC11: 5, RC11of2017: 4, TSO: 4, SC: 4}, "models"},
	// FADD after the release: a is init (2), release (1), FADD, which continues the release sequence (1);
	// FADD before it: init (2), FADD (2), release (1).
	{"MP, RMW in the release sequence", "x=1; y=1.rel || FADD(y,1) || a=y.acq; b=x", n{SC: 9, TSO: 9, RA: 9, RC11: 9, RC11of2017: 9}, "hand"},
	{"isa2", "x=1; y=1.rel || a=y.acq; z=1.rel || b=z.acq; c=x", n{SC: 7, RC11: 7}, "jam; sc hand"},
	{"WRC+rlx", "x=1 || a=x; y=1 || b=y; c=x", n{SC: 7, TSO: 7, RC11: 8}, "hand"},
	{"S", "x=2; y=1 || a=y; x=1", n{SC: 3, TSO: 3, PSO: 4, RC11: 4}, "jam; others hand"},
	{"S+rel+acq, branch", "x=2; y=1.rel || a=y.acq; if(a==1){x=1}", n{RC11: 2}, "jam"},

	{"LB", "a=x; y=1 || b=y; x=1", n{SC: 3, TSO: 3, PSO: 3, RA: 3, RC11: 3}, "jam; others hand"},
	{"LB+acq", "a=x.acq; y=1 || b=y.acq; x=1", n{RC11: 3}, "jam"},
	{"LB+rel", "a=x; y=1.rel || b=y; x=1.rel", n{RC11: 3}, "jam"},
	{"LB+ctrl", "r=x; if(r==0){y=1} else {y=2} || r=y; if(r==0){x=1} else {x=2}", n{RC11: 3}, "jam"},
	{"LB3", "r=a; b=1 || r=b; c=1 || r=c; a=1", n{RC11: 7}, "jam"},
	// Without thin air x and y stay 0; reads see the initial or the other thread's 0.
	{"thin air", "r=x; y=r || r=y; x=r", n{SC: 3, RC11: 3}, "hand"},
	{"growing", "r=x; y=r+1 || r=y; x=r+1", n{SC: 3, RC11: 3}, "hand"},

	// 2 × 2 orders; both stores of one thread before those of the other's in both locations, or not.
	{"2+2W", "x=1; y=2 || y=1; x=2", n{SC: 3, TSO: 3, PSO: 4, RC11: 4}, "jam; others hand"},
	{"2+2W+4sc", "x=1.sc; y=2.sc || y=1.sc; x=2.sc", n{RC11: 3}, "jam"},
	{"2+2W+scfs", "x=1; F.sc; y=2 || y=1; F.sc; x=2", n{RC11: 3, PSO: 3}, "jam; pso hand"},
	{"2+2W+2sc+scf", "x=1.sc; y=2.sc || y=1; F.sc; x=2", n{RC11: 3}, "jam"},
	{"2+2W+3sc+rel1", "x=1.rel; y=2.sc || y=1.sc; x=2.sc", n{RC11: 4}, "jam"},
	{"2+2W+3sc+rel2", "x=1.sc; y=2.rel || y=1.sc; x=2.sc", n{RC11: 4}, "jam"},

	{"IRIW", "x=1 || y=1 || a=x; b=y || c=y; d=x", n{SC: 15, TSO: 15, PSO: 15, RC11: 16}, "hand"},
	{"IRIW+sc", "x=1.sc || y=1.sc || a=x.sc; b=y.sc || c=y.sc; d=x.sc", n{RA: 16, RC11: 15}, "probe; ra hand"},
	{"IRIW-acq-sc", "x=1.sc || y=1.sc || a=x.acq; b=y.sc || c=y.acq; d=x.sc", n{RC11: 16}, "jam"},
	{"RWC+syncs", "x=1 || a=x; F.sc; b=y || y=1; F.sc; c=x", n{SC: 7, RC11: 7}, "jam; sc hand"},
	{"W+RWC", "x=1; y=1.rel || a=y.acq; F.sc; b=z || z=1; F.sc; c=x", n{RC11: 7}, "jam"},

	{"CoRR", "x=1; x=2 || a=x; b=x", n{SC: 6, RC11: 6}, "jam; sc hand"},
	{"CoRR1", "x=1 || x=2 || a=x; b=x || c=x", n{RC11: 36}, "jam"},
	{"CoRR2", "x=1 || x=2 || a=x; b=x || c=x; d=x", n{RC11: 72}, "jam"},
	{"CoRW", "a=x; x=1 || x=2", n{SC: 3, RC11: 3}, "jam; sc hand"},
	{"CoWR", "x=1; a=x || x=2", n{SC: 3, RC11: 3}, "jam; sc hand"},
	{"W+RRR+W", "x=1 || a=x; b=x; c=x || x=2", n{RC11: 20}, "jam"},
	{"fr+w+w+w+reads", "x=1 || x=2 || x=3 || a=x; b=x; c=x; d=x", n{RC11: 210}, "jam"},
	{"detour", "r=y || a=y; y=1 || y=2", n{RC11: 9}, "jam; deps"},
	{"reads and writes of one location", "x=1; a=x; x=2 || a=x; b=x; x=a", n{RC11: 13}, "deps"},

	{"riwi", "a=y; FADD(x,1) || FADD(x,1); y=1.rel", n{RC11: 3}, "jam"},
	{"inc2w", "FADD(x,1) || FADD(x,1) || x=4", n{RC11: 6}, "jam"},
	{"ainc(2)", "FADD(x,1) || FADD(x,1)", n{SC: 2, TSO: 2, PSO: 2, RA: 2, RC11: 2}, "N!"},
	{"ainc(3)", "FADD(x,1) || FADD(x,1) || FADD(x,1)", n{SC: 6, TSO: 6, PSO: 6, RA: 6, RC11: 6}, "N!"},
	{"ainc(4)", repeat(4, "FADD(x,1)"), n{SC: 24, RC11: 24}, "N!"},
	{"ainc(5)", repeat(5, "FADD(x,1)"), n{RC11: 120}, "N!"},
	{"binc(2)", repeat(2, "FADD(x,1); FADD(y,1)"), n{SC: 4, TSO: 4, PSO: 4, RC11: 4}, "(N!)², as published for binc(6)"},
	{"LB+coh+cas", "CAS(x,0,1) || CAS(x,1,0)", n{SC: 2, RC11: 2}, "hand"},
	{"nwrites(3)", "x=1 || x=2 || x=3", n{SC: 6, RC11: 6}, "N!"},

	{"LB+coh-cyc", "x=2; r1=x; if(r1!=2){y=1} || x=1; r2=x; r3=y; if(r3){x=3}", n{RC11: 5}, "xmm"},
	{"LB+coh-cyc+Wd", "x=2; r1=x; if(r1!=2){y=1} || a=z; x=1; r2=x; r3=y; if(r3){x=3} || z=1", n{RC11: 10}, "xmm"},
	// All values are 0 or 1.
	{"LB+equals", "r=a; x=r || r1=x; r2=y; if(r1==0){if(r2==0){a=1; b=1}} else {if(r2==1){a=1; b=1}} || r=b; y=r", n{RC11: 9}, "xmm"},
	{"LB-invis-write+dep", "r1=x; if(!r1){y=1} else {r2=z; if(r2){y=1}} || r3=y; if(r3){x=1} || z=1", n{RC11: 2}, "xmm"},
	{"R-bot-multi-matching", "z=1 || r=z; m=1; m=1; s=x; if(r==0){y=1} else {if(s==1){y=1}} || q=m; a=y; x=a", n{RC11: 15}, "xmm"},
	// x starts as 2 there: here 0 and 2 are swapped in x, and 1+r1*r1-r1 is 3 for the start value, else 1.
	{"java-test9a", "r1=x; if(r1==0){y=3} else {y=1} || r3=y; if(r3==0){x=2} else {x=r3} || x=2", n{RC11: 10}, "xmm"},
	{"java-test10", "r1=x; if(r1==1){y=r1} || r2=y; if(r2==1){x=r2} || r3=z; if(r3==1){x=r3} || z=1", n{RC11: 5}, "xmm"},
	{"java-test19", "r1=x; if(r1!=42){x=42} || r2=x; y=r2 || r3=y; x=r3", n{RC11: 14}, "xmm"},
	{"java-test20", "r1=x; if(r1==0){x=42} || r2=x; y=r2 || r3=y; x=r3", n{RC11: 14}, "xmm"},
	{"LB+seq-src", "a=x; if(a==0){x=1} || r=x; y=r || r=y; x=r", n{RC11: 14}, "xmm"},
	{"java-test5", "r1=x; y=r1 || r2=y; x=r2 || r3=z; x=r3 || z=1", n{RC11: 20}, "xmm"},
	{"LB+coh+RR+cf", "y=1 || r1=x; if(!r1){r2=y; if(r2==1){y=2}} else {y=2} || r2=y; if(r2==2){x=1} || r3=y; r4=y", n{RC11: 24}, "xmm"},
	{"LBn(10)", ring(10, "r=%s; %s=1", "r=%s; %s=1"), n{RC11: 1023}, "xmm"},
	{"LBn+ctrl(10)", ring(10, "r=%s; %s=1", "r=%s; if(r){%s=1}"), n{RC11: 10}, "xmm"},
	{"LBn+data(10)", ring(10, "r=%s; %s=1", "r=%s; %s=r"), n{RC11: 1023}, "xmm"},
	{"LBn-pairs(6)", "r=a; b=1 || r=b; a=1 || r=c; d=1 || r=d; c=1 || r=e; f=1 || r=f; e=1", n{RC11: 27}, "xmm, 3^(N/2)"},
}

type n = map[Model]int

func repeat(k int, thread string) string {
	return strings.TrimPrefix(strings.Repeat(" || "+thread, k), " || ")
}

// ring makes k threads, the first from another pattern, with locations i and i+1 mod k.
func ring(k int, first, other string) string {
	var ts []string
	for i := range k {
		ts = append(ts, fmt.Sprintf(first, string(rune('a'+i)), string(rune('a'+(i+1)%k))))
		first = other
	}
	return strings.Join(ts, " || ")
}

func TestCounts(t *testing.T) {
	for _, c := range counts {
		p, err := Parse(c.prog)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range Models {
			want, ok := c.want[m]
			if !ok {
				continue
			}
			if xs := Enumerate(p, m); len(xs) != want {
				t.Errorf("%s under %s: %d executions, want %d (%s)\n%v\n%s", c.name, m, len(xs), want, c.source, p, keys(xs))
			}
		}
	}
}

func keys(xs []Execution) []string {
	var ks []string
	for _, x := range xs {
		ks = append(ks, x.Key())
	}
	slices.Sort(ks)
	return ks
}

func TestObserved(t *testing.T) {
	for _, c := range []struct {
		prog string
		want int
	}{
		{"x=1 || x=2 || x=3", 1},                        // facts: nwrites-loc(N) has 1
		{"x=1 || x=2 || a=x; b=x || c=x", 21},           // CoRR1, by an independent enumeration
		{"x=1 || x=2 || a=x; b=x || c=x; d=x", 47},      // CoRR2, same
		{"x=1 || x=2 || x=3 || a=x; b=x; c=x; d=x", 73}, // fr+w+w+w+reads, same
		{"FADD(x,1) || FADD(x,1) || FADD(x,1)", 6},
	} {
		if got := len(Observed(Enumerate(MustParse(c.prog), RC11))); got != c.want {
			t.Errorf("%s: %d executions without coherence, want %d", c.prog, got, c.want)
		}
	}
}

func TestRace(t *testing.T) {
	for _, c := range []struct {
		prog  string
		races int // executions with a race, under rc11
	}{
		{"x=1.na; y=1.rel || a=y.acq; if(a==1){b=x.na}", 0},
		{"x=1.na; y=1 || a=y.acq; if(a==1){b=x.na}", 2},
		{"x=1.na || x=2", 2},
		{"x=1.na || a=x", 2},
		{"a=x.na || b=x", 0},
		{"x=1 || a=x", 0},
		{"x=1.na; a=x.na", 0},
	} {
		races := 0
		for _, x := range Enumerate(MustParse(c.prog), RC11) {
			if x.Race {
				races++
			}
		}
		if races != c.races {
			t.Errorf("%s: %d executions with a race, want %d", c.prog, races, c.races)
		}
	}
}

func TestKey(t *testing.T) {
	p := MustParse("x=1; F.sc; a=y || FADD(x,1); b=y ||")
	want := "0: W x 1; F sc; R y 0<-(init)\n1: R x 1<-(0,0); W x 2; R y 0<-(init)\n2:\nco x: (0,0) (1,1)\n"
	if got := keys(Enumerate(p, SC)); !slices.Contains(got, want) || len(got) != 2 {
		t.Errorf("got %q, want 2 with %q", got, want)
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"r=x.acq; y=1.rel; a=CAS(x,0,1).rlx; F.sc; if(r==1){x=a} else {y=r+2.sc}": "r=x.acq; y=1.rel; a=CAS(x,0,1); F.sc; if(r==1){x=a} else {y=r+2.sc}",
		"r=x; if(r){y=1}; z=1+r*0 || CAS(y,0,r9)":                                 "",
		"r=x;if(!r){y=1.na}x=1+r*0||FADD(y,1).acqrel;b=XCHG(y,2)":                 "r=x; if(r==0){y=1.na}; x=r*0+1 || FADD(y,1).acqrel; b=XCHG(y,2)",
		"r=x; if(r!=2){y=1}":                           "r=x; if(r==2){} else {y=1}",
		"a=CAS(x,0,1).acqrel/rlx; b=CAS(x,0,1).acqrel": "a=CAS(x,0,1).acqrel/rlx; b=CAS(x,0,1).acqrel",
		"a=x || x=1 || a=1":                            "", // a is both
		"r=x; r=1":                                     "",
		"x=":                                           "",
		"if(r){x=1}":                                   "",
		"r=x.foo":                                      "",
		"F":                                            "",
		"x=1}":                                         "",
		"r=x; s=x; x=r+s":                              "",
		"a=x;b=[y+a].Q;[x+b]=1.L;c=FADD([x+a],1).A;F.dmb.sy;F.fence.rw.w": "a=x; b=[y+a].Q; [x+b]=1.L; c=FADD([x+a],1).A; F.dmb.sy; F.fence.rw.w",
		"a=x; if(a){}; y=1; CAS([y+a],a*0+1,2).acqrel/rlx":                "a=x; if(a==0){}; y=1; CAS([y+a],a*0+1,2).acqrel/rlx",
		"a=[x+b]":    "", // b is not a register
		"a=x; b=[a]": "",
		"x=1.sync":   "", // a fence
		"F.A":        "", // an access
		"F.dmb":      "",
	} {
		p, err := Parse(in)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: no error, but %v", in, p)
		case want != "" && err != nil:
			t.Error(err)
		case want != "" && p.String() != want:
			t.Errorf("%s: printed as\n%v, want\n%s", in, p, want)
		}
	}
}

func programs(t *testing.T, count int, cfg Config, check func(p *Prog)) {
	t.Helper()
	if testing.Short() {
		count = count/20 + 1
	}
	for i := range count {
		check(Random(rand.New(rand.NewPCG(uint64(i), 1)), cfg))
		if t.Failed() {
			return
		}
	}
}

func TestRandomPrints(t *testing.T) {
	seen := make(map[event.Mode]int)
	programs(t, 500, Config{NA: true}, func(p *Prog) {
		q, err := Parse(p.String())
		if err != nil || q.String() != p.String() {
			t.Errorf("%v\nprints and parses as\n%v: %v", p, q, err)
		}
		for _, th := range p.Threads {
			for _, s := range th.Body {
				seen[s.Mode]++
			}
		}
	})
	for m := event.NA; m <= event.SC; m++ {
		if seen[m] == 0 {
			t.Errorf("no statement of mode %v", m)
		}
	}
}

// Filtering by location first must not lose anything.
func TestPruning(t *testing.T) {
	programs(t, 150, Config{Total: 6, PerThread: 3, NA: true}, func(p *Prog) {
		for _, m := range Models {
			fast, slow := keys(enumerate(p, m, true)), keys(enumerate(p, m, false))
			if !slices.Equal(fast, slow) {
				t.Errorf("%v\nunder %s: %d executions with pruning, %d without", p, m, len(fast), len(slow))
			}
		}
	})
}

// Every execution is found once, and stronger models allow less: now and then really less,
// or the random programs would not tell the models apart.
func TestInclusions(t *testing.T) {
	pairs := [][2]Model{{SC, TSO}, {TSO, PSO}, {SC, RC11of2017}, {RC11of2017, RC11}, {RC11, RA}}
	differ := make([]int, len(pairs))
	programs(t, 1000, Config{}, func(p *Prog) {
		found := make(map[Model][]string)
		for _, m := range Models {
			found[m] = keys(Enumerate(p, m))
			if n := len(slices.Compact(slices.Clone(found[m]))); n != len(found[m]) {
				t.Errorf("%v\nunder %s: %d of %d executions are different", p, m, n, len(found[m]))
			}
		}
		for i, c := range pairs {
			if len(found[c[0]]) < len(found[c[1]]) {
				differ[i]++
			}
			for _, k := range found[c[0]] {
				if _, ok := slices.BinarySearch(found[c[1]], k); !ok {
					t.Errorf("%v\nconsistent under %s but not under %s:\n%s", p, c[0], c[1], k)
				}
			}
		}
	})
	for i, n := range differ {
		t.Logf("%v differ on %d of 1000 programs", pairs[i], n)
		if n == 0 && !testing.Short() {
			t.Errorf("no program tells %v apart", pairs[i])
		}
	}
}

func BenchmarkEnumerate(b *testing.B) {
	execs := 0
	for i := 0; b.Loop(); i++ {
		execs += len(Enumerate(Random(rand.New(rand.NewPCG(uint64(i%1000), 1)), Config{}), RC11))
	}
	b.ReportMetric(float64(execs)/float64(b.N), "executions/op")
}
