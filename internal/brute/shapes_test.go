package brute

import (
	"testing"
)

// shapes are the field's litmus shapes, through the compilation mappings: may the outcome happen? The
// letters stand for imm, armv8, armv7, power and riscv: Y may, n may not. The verdicts come from
//
//	HC    Herding Cats (TOPLAS'14), the test of that name in its tables and figures, for armv7 and power
//	PLDI  Sarkar et al., "Understanding POWER multiprocessors" (PLDI'11), for power, and armv7, which is as power there
//	MCA   Pulte et al. (POPL'18) and the RISC-V manual, appendix A: armv8 and riscv are multicopy-atomic, so that
//	      a shape is forbidden if each thread keeps its order, and allowed if one does not
//	IMM   Podkopaev et al. (POPL'19): dependencies and fences without synchronisation forbid load buffering
//	      only; the rest is RC11's hb, eco and psc
//
// litmus is a file of /work/shared/litmus, whose verdict is in expected.tsv there; C11 is that the modes forbid it in
// RC11, and so after compilation. All rows rest on HC or PLDI, MCA and IMM, each for its models; a row's
// source says which test or rule it is about.
var shapes = []struct {
	name, prog, outcome string
	want                string
	source              string
}{
	// Load buffering: nothing keeps a read before a later write, but all that follow do.
	{"LB", "r=x; y=1 || r=y; x=1", "0:r=1&1:r=1", "YYYYY", "HC lb; IMM; MCA"},
	{"LB+data+po", "r=x; y=r*0+1 || r=y; x=1", "0:r=1&1:r=1", "YYYYY", "litmus ARM/LB+data+po"},
	{"LB+datas", "r=x; y=r*0+1 || r=y; x=r*0+1", "0:r=1&1:r=1", "nnnnn", "HC lb+datas; IMM"},
	{"LB+addrs", "r=x; [y+r]=1 || r=y; [x+r]=1", "0:r=1&1:r=1", "nnnnn", "HC lb+addrs"},
	{"LB+addr-pos", "r=x; s=[z+r]; y=1 || r=y; s=[z+r]; x=1", "0:r=1&1:r=1", "nnnnn", "HC lb+addrs+po: addr;po in cc0; IMM addr;po?"},
	{"LB+ctrls", "r=x; if(r==1){y=1} || r=y; if(r==1){x=1}", "0:r=1&1:r=1", "nnnnn", "HC lb+ctrls; litmus ARM/LB+ctrls"},
	{"LB+ctrls, after the join", "r=x; if(r==1){z=1}; y=1 || r=y; if(r==1){}; x=1", "0:r=1&1:r=1", "nnnnn", "ctrl is cumulative"},
	{"LB+data-rfi-data+data", "r=x; z=r*0+1; s=z; y=s || r=y; x=r", "0:r=1&1:r=1", "nnnnn", "HC rfi in ii0; IMM ppo"},
	{"LB+ctrl-rfi-po+data", "r=x; if(r==1){}; z=1; s=z; y=s || r=y; x=r*0+1", "0:r=1&1:r=1", "nnnnn", "ctrl is cumulative"},
	{"LB+values out of thin air", "r=x; y=r || r=y; x=r+1", "0:r=1", "YYYYY", "y=0 and x=1 in turn"},
	{"LB+values out of thin air 2", "r=x; y=r || r=y; x=r+1", "0:r=2", "nnnnn", "IMM LB+datas"},
	{"LB+acqs", "r=x.acq; y=1 || r=y.acq; x=1", "0:r=1&1:r=1", "nnnnn", "IMM bob; HC ctrl+isync"},
	{"LB+acq+po", "r=x.acq; y=1 || r=y; x=1", "0:r=1&1:r=1", "YYYYY", "IMM"},
	{"LB+rels", "r=x; y=1.rel || r=y; x=1.rel", "0:r=1&1:r=1", "nnnnn", "IMM bob; HC lb+lwsyncs"},
	{"LB+rel-coi+data", "r=y; x=1.rel; x=2 || r=x; y=r", "0:r=2&1:r=2", "nnnnn", "IMM [Wrel];po|loc;[W] in bob; HC lb+lwsync+data; the order of a location"},
	{"LB+acqfs", "r=x; F.acq; y=1 || r=y; F.acq; x=1", "0:r=1&1:r=1", "nnnnn", "IMM bob"},
	{"LB+relf+data", "r=x; F.rel; y=1 || r=y; x=r", "0:r=1&1:r=1", "nnnnn", "litmus PPC/LB+lwsync+addr"},
	{"LB+scf+po", "r=x; F.sc; y=1 || r=y; x=1", "0:r=1&1:r=1", "YYYYY", "IMM"},
	{"LB3", "r=x; y=1 || r=y; z=1 || r=z; x=1", "0:r=1&1:r=1&2:r=1", "YYYYY", "IMM"},
	{"LB3+datas+po", "r=x; y=r || r=y; z=r || r=z; x=1", "0:r=1&1:r=1&2:r=1", "YYYYY", "IMM"},
	{"LB3+datas", "r=x; y=r*0+1 || r=y; z=r || r=z; x=r", "0:r=1&1:r=1&2:r=1", "nnnnn", "HC"},
	{"LB+xchg+data", "r=XCHG(x,2); y=1 || r=y; x=r*0+1", "0:r=1&1:r=1", "nYnnn", "IMM [Rex];po; armv8: litmus AArch64/STXR-ctrl"},
	{"LB+cas+data", "r=CAS(x,1,2); y=1 || r=y; x=r*0+1", "0:r=1&1:r=1", "nnnnn", "a CAS branches on its comparison"},
	{"LB+failed cas+data", "r=CAS(x,0,2); y=1 || r=y; x=r*0+1", "0:r=1&1:r=1", "nnnnn", "the same"},
	{"LB+casdep+data", "r=x; CAS(z,r*0,2); y=1 || r=y; x=r*0+1", "0:r=1&1:r=1", "nnnnn", "IMM casdep"},

	// Detour: a write, then one of another thread, which the read sees.
	{"LB+data-detour-data", "r=x; y=r*0+1; s=y; z=s*0+1 || y=2 || r=z; x=r", "0:r=1&0:s=2&2:r=1&y=2", "nnnnn", "HC detour in ci0; IMM detour"},
	{"LB+po-detour-data", "r=x; y=1; s=y; z=s*0+1 || y=2 || r=z; x=r", "0:r=1&0:s=2&2:r=1&y=2", "YYYYY", "HC"},
	{"LB+ctrl-detour-data", "r=x; if(r==1){}; y=1; s=y; z=s*0+1 || y=2 || r=z; x=r", "0:r=1&0:s=2&2:r=1&y=2", "nnnnn", "HC, IMM detour"},

	// Message passing.
	{"MP", "x=1; y=1 || r=y; s=x", "1:r=1&1:s=0", "YYYYY", "HC mp"},
	{"MP+rel+acq", "x=1; y=1.rel || r=y.acq; s=x", "1:r=1&1:s=0", "nnnnn", "HC mp+lwsync+ctrlisync"},
	{"MP+scs", "x=1.sc; y=1.sc || r=y.sc; s=x.sc", "1:r=1&1:s=0", "nnnnn", "HC mp+syncs"},
	{"MP+rel+po", "x=1; y=1.rel || r=y; s=x", "1:r=1&1:s=0", "YYYYY", "HC mp+lwsync+po"},
	{"MP+po+acq", "x=1; y=1 || r=y.acq; s=x", "1:r=1&1:s=0", "YYYYY", "HC"},
	{"MP+rel+addr", "x=1; y=1.rel || r=y; s=[x+r]", "1:r=1&1:s=0", "Ynnnn", "HC mp+lwsync+addr, litmus ARM/MP+dmb+addr; IMM"},
	{"MP+scf+addr", "x=1; F.sc; y=1 || r=y; s=[x+r]", "1:r=1&1:s=0", "Ynnnn", "HC; IMM"},
	{"MP+rel+ctrl", "x=1; y=1.rel || r=y; if(r==1){}; s=x", "1:r=1&1:s=0", "YYYYY", "HC mp+lwsync+ctrl"},
	{"MP+relf+acqf", "x=1; F.rel; y=1 || r=y; F.acq; s=x", "1:r=1&1:s=0", "nnnnn", "HC mp+lwsyncs"},
	{"MP+rel+addr-ctrl-addr", "x=1; y=1.rel || r=y; s=[z+r]; if(s==0){}; t=[x+r]", "1:r=1&1:t=0", "Ynnnn", "HC"},
	{"MP, relaxed store after the release", "x=1; y=1.rel; y=2 || r=y.acq; s=x", "1:r=2&1:s=0", "Ynnnn", "models.md: C++20; [Wrel];po;[W] at one location is in order in hardware"},
	// A write of the same thread between a dependency and the read.
	{"PPOCA", "x=1; F.sc; y=1 || r=y; if(r==1){}; z=1; s=z; t=[x+s]", "1:r=1&1:s=1&1:t=0", "YYYYY", "PLDI PPOCA; HC; MCA"},
	{"PPOAA", "x=1; F.sc; y=1 || r=y; [z+r]=1; s=z; t=[x+s]", "1:r=1&1:s=1&1:t=0", "Ynnnn", "PLDI PPOAA; HC"},
	{"MP+scf+data-rfi-addr", "x=1; F.sc; y=1 || r=y; z=r; s=z; t=[x+s]", "1:r=1&1:s=1&1:t=0", "Ynnnn", "HC; riscv rule 12"},
	// Reads from the same write may be out of order, those from different ones are not.
	{"RSW", "x=1; F.sc; y=1 || r=y; s=[z+r]; t=z; u=[x+t]", "1:r=1&1:s=0&1:t=0&1:u=0", "YYYYY", "PLDI RSW; HC; riscv rule 2"},
	{"RDW", "x=1; F.sc; y=1 || r=y; s=[z+r]; t=z; u=[x+t] || z=1", "1:r=1&1:s=0&1:t=1&1:u=0", "Ynnnn", "PLDI RDW; HC rdw; riscv rule 2"},
	{"MP+scf+xchg-rfi-acq", "x=1; F.sc; y=1 || r=XCHG(y,2); s=y.acq; t=x", "1:r=1&1:s=2&1:t=0", "nnnnn", "C11: the release sequence; armv8 rmw;rfi;[A|Q]"},
	{"MP+scf+fri-rfi-acq", "x=1; F.sc; y=1 || r=y; y=2; s=y.acq; t=x", "1:r=1&1:s=2&1:t=0&y=2", "YYYnn", "HC mp+dmb+fri-rfi-ctrlisb, which tells ARM from Power, and litmus ARM/ of that name; riscv: the fence after s keeps r too"},

	{"S", "x=2; y=1 || r=y; x=1", "1:r=1&x=2", "YYYYY", "HC s"},
	{"S+rel+data", "x=2; y=1.rel || r=y; x=r*0+1", "1:r=1&x=2", "Ynnnn", "HC s+lwsync+data; litmus PPC/S+lwsync+data; IMM: co is not in ar"},
	{"S+rel+ctrl", "x=2; y=1.rel || r=y; if(r==1){x=1}", "1:r=1&x=2", "Ynnnn", "HC s+lwsync+ctrl"},
	{"S+rel+acq", "x=2; y=1.rel || r=y.acq; x=1", "1:r=1&x=2", "nnnnn", "HC"},
	{"S+rel+po", "x=2; y=1.rel || r=y; x=1", "1:r=1&x=2", "YYYYY", "HC"},

	{"SB", "x=1; r=y || y=1; r=x", "0:r=0&1:r=0", "YYYYY", "HC sb"},
	{"SB+scs", "x=1.sc; r=y.sc || y=1.sc; r=x.sc", "0:r=0&1:r=0", "nnnnn", "C11"},
	{"SB+scfs", "x=1; F.sc; r=y || y=1; F.sc; r=x", "0:r=0&1:r=0", "nnnnn", "HC sb+syncs"},
	{"SB+acqrelfs", "x=1; F.acqrel; r=y || y=1; F.acqrel; r=x", "0:r=0&1:r=0", "YnnYY", "HC sb+lwsyncs; dmb is a full fence"},
	{"SB+sc+acq", "x=1.sc; r=y.acq || y=1.sc; r=x.acq", "0:r=0&1:r=0", "YYYYY", "LDAPR is for this; HC"},
	{"SB+scs, RMWs", "XCHG(x,1).sc; r=y.sc || XCHG(y,1).sc; r=x.sc", "0:r=0&1:r=0", "nnnnn", "C11"},
	{"SB+scs, reads of RMWs", "x=1.sc; r=FADD(y,1).sc || y=1.sc; r=FADD(x,1).sc", "0:r=0&1:r=0", "nnnnn", "C11"},
	{"3.SB+scfs", "x=1; F.sc; r=y || y=1; F.sc; r=z || z=1; F.sc; r=x", "0:r=0&1:r=0&2:r=0", "nnnnn", "HC; litmus AArch64/3.SB+dmb.sys"},

	{"R", "x=1; y=1 || y=2; r=x", "y=2&1:r=0", "YYYYY", "HC r"},
	{"R+scfs", "x=1; F.sc; y=1 || y=2; F.sc; r=x", "y=2&1:r=0", "nnnnn", "HC r+syncs"},
	{"R+rel+scf", "x=1; y=1.rel || y=2; F.sc; r=x", "y=2&1:r=0", "YnnYn", "HC r+lwsync+sync: allowed on power; dmb is a full fence"},
	{"R+scs", "x=1.sc; y=1.sc || y=2.sc; r=x.sc", "y=2&1:r=0", "nnnnn", "C11"},

	{"2+2W", "x=1; y=2 || y=1; x=2", "x=1&y=1", "YYYYY", "HC 2+2w"},
	{"2+2W+rels", "x=1; y=2.rel || y=1; x=2.rel", "x=1&y=1", "Ynnnn", "HC 2+2w+lwsyncs; litmus PPC/2+2W+lwsyncs; C11"},
	{"2+2W+scs", "x=1.sc; y=2.sc || y=1.sc; x=2.sc", "x=1&y=1", "nnnnn", "C11"},
	{"2+2W+scfs", "x=1; F.sc; y=2 || y=1; F.sc; x=2", "x=1&y=1", "nnnnn", "HC"},
	{"2+2W+rel+po", "x=1; y=2.rel || y=1; x=2", "x=1&y=1", "YYYYY", "HC"},
	{"3.2W", "x=1; y=2 || y=1; z=2 || z=1; x=2", "x=1&y=1&z=1", "YYYYY", "HC; litmus PPC/3.2W"},
	{"3.2W+rels", "x=1; y=2.rel || y=1; z=2.rel || z=1; x=2.rel", "x=1&y=1&z=1", "Ynnnn", "HC; litmus PPC/3.2W+lwsync+sync+lwsync"},

	// Who sees a write when: multicopy-atomic armv8 and riscv, the others not.
	{"WRC+data+addr", "x=1 || r=x; y=r || r=y; s=[x+r]", "1:r=1&2:r=1&2:s=0", "YnYYn", "HC wrc+data+addr; PLDI WRC+addrs; MCA"},
	{"WRC+addrs", "x=1 || r=x; [y+r]=1 || r=y; s=[x+r]", "1:r=1&2:r=1&2:s=0", "YnYYn", "PLDI WRC+addrs; MCA"},
	{"WRC+rel+addr", "x=1 || r=x; y=1.rel || r=y; s=[x+r]", "1:r=1&2:r=1&2:s=0", "Ynnnn", "HC wrc+lwsync+addr; litmus PPC/WRC+lwsync+addr, ARM/WRC+dsb+addr"},
	{"WRC+rel+acq", "x=1 || r=x; y=1.rel || r=y.acq; s=x", "1:r=1&2:r=1&2:s=0", "nnnnn", "C11"},
	{"WRC+po+acq", "x=1 || r=x; y=1 || r=y.acq; s=x", "1:r=1&2:r=1&2:s=0", "YYYYY", "HC"},
	{"ISA2", "x=1; y=1 || r=y; z=1 || r=z; s=x", "1:r=1&2:r=1&2:s=0", "YYYYY", "HC isa2"},
	{"ISA2+rel+data+addr", "x=1; y=1.rel || r=y; z=r || r=z; s=[x+r]", "1:r=1&2:r=1&2:s=0", "Ynnnn", "HC isa2+lwsync+data+addr; PLDI; litmus ARM/ISA2+dsb+data+addr"},
	{"ISA2+scf+data+scf", "x=1; F.sc; y=1 || r=y; z=r || r=z; F.sc; s=x", "1:r=1&2:r=1&2:s=0", "nnnnn", "IMM: psc is in ar"},
	{"ISA2+rel+acq-rel+acq", "x=1; y=1.rel || r=y.acq; z=1.rel || r=z.acq; s=x", "1:r=1&2:r=1&2:s=0", "nnnnn", "C11"},
	{"IRIW+addrs", "x=1 || r=x; s=[y+r] || y=1 || r=y; s=[x+r]", "1:r=1&1:s=0&3:r=1&3:s=0", "YnYYn", "PLDI IRIW+addrs; HC iriw+addrs; MCA"},
	{"IRIW+acqs", "x=1 || r=x.acq; s=y.acq || y=1 || r=y.acq; s=x.acq", "1:r=1&1:s=0&3:r=1&3:s=0", "YnYYn", "C11; HC; MCA"},
	{"IRIW+acqfs", "x=1 || r=x; F.acq; s=y || y=1 || r=y; F.acq; s=x", "1:r=1&1:s=0&3:r=1&3:s=0", "YnnYn", "HC iriw+lwsyncs, litmus PPC/IRIW+lwsyncs, ARM/IRIW+dmbs"},
	{"IRIW+scs", "x=1.sc || r=x.sc; s=y.sc || y=1.sc || r=y.sc; s=x.sc", "1:r=1&1:s=0&3:r=1&3:s=0", "nnnnn", "C11; HC iriw+syncs"},
	{"IRIW+scfs", "x=1 || r=x; F.sc; s=y || y=1 || r=y; F.sc; s=x", "1:r=1&1:s=0&3:r=1&3:s=0", "nnnnn", "HC iriw+syncs"},
	{"RWC+addr+scf", "x=1 || r=x; s=[y+r] || y=1; F.sc; r=x", "1:r=1&1:s=0&2:r=0", "YnYYn", "litmus PPC/RWC+addr+sync; MCA"},
	{"RWC+scfs", "x=1 || r=x; F.sc; s=y || y=1; F.sc; r=x", "1:r=1&1:s=0&2:r=0", "nnnnn", "HC rwc+syncs"},
	{"W+RWC+rel+addr+scf", "x=1; y=1.rel || r=y; s=[z+r] || z=1; F.sc; r=x", "1:r=1&1:s=0&2:r=0", "YnnYn", "HC w+rwc+lwsync+addr+sync, which power allows; the full dmb is cumulative"},
	{"WWC+data+data", "x=2 || r=x; y=r*0+1 || r=y; x=r*0+1", "1:r=2&2:r=1&x=2", "YnYYn", "HC wwc+addrs; MCA"},
	{"WWC+rel+data", "x=2 || r=x; y=1.rel || r=y; x=r*0+1", "1:r=2&2:r=1&x=2", "Ynnnn", "HC"},
	{"Z6.0+rel+data+scf", "x=1; y=1.rel || r=y; z=r*0+1 || z=2; F.sc; r=x", "1:r=1&z=2&2:r=0", "YnnYn", "HC z6.0+lwsync+…+sync; as R"},
	{"Z6.1+rels+data", "x=2; y=1.rel || y=2; z=1.rel || r=z; x=r*0+1", "y=2&2:r=1&x=2", "Ynnnn", "HC; litmus RISCV/Z6.1+fence.rw.ws"},
	{"Z6.2+rel+data+data", "x=2; y=1.rel || r=y; z=r || r=z; x=r*0+1", "1:r=1&2:r=1&x=2", "Ynnnn", "HC; litmus RISCV/Z6.2+fence.rw.w+addr+data"},
	{"Z6.3+rel+rel+addr", "x=1; y=1.rel || y=2; z=1.rel || r=z; s=[x+r]", "y=2&2:r=1&2:s=0", "YnnYn", "litmus PPC/Z6.3+sync+lwsync+lwsync is allowed; as R"},
	{"Z6.4+rel+scf+scf", "x=1; y=1.rel || y=2; F.sc; r=z || z=1; F.sc; r=x", "y=2&1:r=0&2:r=0", "YnnYn", "litmus PPC/Z6.4+lwsync+sync+sync; as R"},
	{"Z6.5+rel+rel+scf", "x=1; y=1.rel || y=2; z=1.rel || z=2; F.sc; r=x", "y=2&z=2&2:r=0", "YnnYn", "litmus PPC/Z6.5+lwsync+sync+lwsync; as R"},
}

func TestShapes(t *testing.T) {
	columns := []Model{IMM, ARMv8, ARMv7, Power, RISCV}
	for _, c := range shapes {
		p, err := Parse(c.prog)
		if err != nil {
			t.Error(err)
			continue
		}
		got := ""
		for _, m := range columns {
			letter := "n"
			for _, x := range Enumerate(p, m) {
				if holds(t, c.outcome, &x) {
					letter = "Y"
				}
			}
			got += letter
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s (%s)\n%v", c.name, got, c.want, c.source, p)
		}
	}
}

// Outcomes that only hardware without the mapping tells apart: exclusives and instructions.
func TestRaw(t *testing.T) {
	for _, c := range []struct {
		prog, outcome string
		model         Model
		want          bool
		source        string
	}{
		{"XCHG(x,1); XCHG(y,2) || XCHG(y,1); XCHG(x,2)", "x=1&y=1", Power, false, "scXX of herd's ppc.cat"},
		{"XCHG(x,1); XCHG(y,2) || XCHG(y,1); XCHG(x,2)", "x=1&y=1", ARMv8, true, "as litmus AArch64/ISA2+poxxs"},
		{"x=2; F.dmb.st; y=1 || r=XCHG(y,2); x=1", "x=2&1:r=1", ARMv8, true, "litmus AArch64/STXR-ctrl"},
		{"x=1.sc; r=y.sc || y=1.sc; r=x.sc", "0:r=0&1:r=0", ARMv8, true, "modes mean nothing"},
		{"x=1.L; r=y.A || y=1.L; r=x.A", "0:r=0&1:r=0", ARMv8, false, "[L];po;[A]"},
		{"x=1.L; r=y.Q || y=1.L; r=x.Q", "0:r=0&1:r=0", ARMv8, true, "not for LDAPR"},
		{"x=1.L; r=y.A || y=1.L; r=x.A", "0:r=0&1:r=0", RISCV, true, "RCpc; as litmus RISCV/SB+posprl-porlaq+poprl-porlaq"},
		{"XCHG(x,1).aqrl; XCHG(z,1).aqrl; r=y || XCHG(y,1).aqrl; XCHG(w,1).aqrl; r=x", "0:r=0&1:r=0", RISCV, false, "RCsc, rule 7"},
		{"XCHG(x,1).L; XCHG(z,1).A; r=y || XCHG(y,1).L; XCHG(w,1).A; r=x", "0:r=0&1:r=0", RISCV, false, "RCsc, rule 7"},
		{"x=1; F.eieio; y=1 || r=y; s=[x+r]", "1:r=1&1:s=0", Power, false, "eieio of herd's ppc.cat"},
		{"x=1; F.eieio; r=y || y=1; F.eieio; r=x", "0:r=0&1:r=0", Power, true, "for writes only"},
		{"x=1; F.dmb.st; y=1 || y=2; F.dmb.sy; r=x", "y=2&1:r=0", ARMv7, false, "dmb.st is a strong fence in herd's arm.cat"},
		{"x=1; F.sync; r=y || y=1; F.sync; r=x", "0:r=0&1:r=0", ARMv8, true, "a fence of another architecture"},
		{"x=1; F.sc; r=y || y=1; F.sc; r=x", "0:r=0&1:r=0", Power, false, "fences are not raw"},
	} {
		got := false
		for _, x := range Enumerate(MustParse(c.prog), c.model.Raw()) {
			got = got || holds(t, c.outcome, &x)
		}
		if got != c.want {
			t.Errorf("%s may end with %s under %s: %v, want %v (%s)", c.prog, c.outcome, c.model.Raw(), got, c.want, c.source)
		}
	}
}
