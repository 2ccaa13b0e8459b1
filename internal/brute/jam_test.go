package brute

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/short"
)

// TestJavaThinAir has the executions that docs/jam21.md calls free of thin air: of the causality tests (CTC) as their authors decided, except where the page says why not, and of
// programs that are correctly synchronised.
func TestJavaThinAir(t *testing.T) {
	for _, test := range []struct {
		name, prog            string
		acyclic, want, axioms int
	}{
		{"LB", "a=x.na; y=1.na || b=y.na; x=1.na", 3, 4, 4},
		{"LB, one plain", "a=x.na; y=1 || b=y; x=1.na", 3, 4, 4},
		{"LB, opaque", "a=x; y=1 || b=y; x=1", 3, 3, 3},
		{"CTC1, fake control dependency", "r=x.na; if(r==0){y=1.na} else {y=1.na} || s=y.na; x=s.na", 3, 4, 4},
		{"CTC4, values from nowhere", "r=x.na; y=r.na || s=y.na; x=s.na", 3, 4, 4}, // 0 may come from the cycle: it is written without one
		{"CTC6", "r=x.na; if(r==1){y=1.na} || s=y.na; if(s==1){x=1.na} else {x=1.na}", 2, 3, 3},
		{"CTC7", "r1=z.na; r2=x.na; y=r2.na || r3=y.na; z=r3.na; x=1.na", 5, 8, 8},
		{"CTC13, writes from nowhere", "r=x.na; if(r==1){y=1.na} || s=y.na; if(s==1){x=1.na}", 1, 1, 1}, // no execution without cycles writes 1, so it is not tried
		{"a message, correctly synchronised", "a=x.na; y=1.rel || b=y.acq; if(b==1){x=1.na}", 2, 2, 3},
		{"the same, not synchronised", "a=x.na; y=1.rel || b=y.acq; x=1.na", 3, 4, 4},
		{"the message beside a race", "a=x.na; p=1.na; c=q.na; y=1.rel || q=1.na; d=p.na; b=y.acq; if(b==1){x=1.na}", 8, 8, 12},
	} {
		p := MustParse(test.prog)
		n, want, axioms := len(Enumerate(p, JAM21)), len(Reexecuted(p, JAM21)), len(Enumerate(p, JAM21Cycles))
		if n != test.acyclic || want != test.want || axioms != test.axioms {
			t.Errorf("%s: %d executions without cycles, %d without thin air, %d by the axioms; want %d, %d, %d", test.name, n, want, axioms, test.acyclic, test.want, test.axioms)
		}
	}
}

// TestJavaIndependent checks that programs whose writes depend on no read have all executions that the axioms allow: none of them is out of thin air.
func TestJavaIndependent(t *testing.T) {
	cyclic := 0
	for s := range uint64(short.Count(1500, 300)) {
		p := Random(rand.New(rand.NewPCG(s, 4)), Config{Plain: true, NoBranches: true, NoRMW: true, Threads: 2 + int(s%2), PerThread: 4, Total: 7})
		if slices.ContainsFunc(p.Threads, func(th Thread) bool {
			return slices.ContainsFunc(th.Body, func(s Stmt) bool { return s.Kind == Store && s.Val.Reg != NoReg && !s.Val.Zero })
		}) {
			continue
		}
		for m, axioms := range map[Model]Model{JAM21: JAM21Cycles, JAM21Direct: JAM21DirectCycles, JAM19: JAM19Cycles} {
			got, want := len(Reexecuted(p, m)), len(Enumerate(p, axioms))
			if got != want {
				t.Errorf("seed %d, %s:\n%v\n%d executions, %d by the axioms", s, m, p, got, want)
			}
			if want > len(Enumerate(p, m)) {
				cyclic++
			}
		}
	}
	t.Logf("%d with cycles", cyclic)
	if cyclic == 0 {
		t.Error("no program has cycles")
	}
}
