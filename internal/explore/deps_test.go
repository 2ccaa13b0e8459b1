package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/explore/exploretest"
)

// depModels are the models that track dependencies and are for C11, allDepModels those and the kernel's.
var (
	depModels    = []brute.Model{brute.IMM, brute.ARMv8, brute.RISCV, brute.Power, brute.ARMv7}
	allDepModels = slices.Concat(depModels, []brute.Model{brute.LKMM})
)

// TestDependencies compares the executions of random programs with dependencies with those that the
// brute-force enumerator finds.
func TestDependencies(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Deps: true})
				if diff := compare(t, p, m, 1, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s\nsmaller: %v", s, m, p, diff, shrink(t, p, m))
				}
				if i%4 > 0 {
					continue
				}
				if diff := compare(t, p, m, 1+i%8/4, true); diff != "" {
					t.Fatalf("seed %d, model %s, observed:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}

// TestObserver is TestDependencies for programs with a thread before the others that reads one of their locations: what it reads
// has to be revisited, whatever the others do.
func TestObserver(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 4))
				p := brute.Random(r, brute.Config{Deps: true, Threads: 2, PerThread: 5, Total: 9})
				p = brute.MustParse("o=" + p.Locs[r.IntN(len(p.Locs))] + " || " + p.String())
				if diff := compare(t, p, m, 1, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s\nsmaller: %v", s, m, p, diff, shrink(t, p, m))
				}
			}
		})
	}
}

// TestOwnReads is TestDependencies for threads that acquire what they wrote themselves.
func TestOwnReads(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for _, prog := range []string{
				"q=x || r=x; y=r; s=y.acq; l=1 || a=l; x=a",
				"q=y || a=l; y=a || p=y; r=y; y=1; s=y.acq; l=1",
				"q=y || p=y; a=l; y=a+1 || r=y; y=r; l=1",
				"q=x || a=l; p=y; y=a || r=y; x=2.rel; l=1",
				"a=l.sc; x=1; x=1.sc || r=x; x=r+1; s=x.acq; l=1",
			} {
				if diff := compare(t, brute.MustParse(prog), m, 1, false); diff != "" {
					t.Errorf("model %s: %s\n%s", m, prog, diff)
				}
			}
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.RandomOwnReads(rand.New(rand.NewPCG(s, 20)))
				if diff := compare(t, p, m, 1+i%2, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}

// tagModels are those with instructions that C11 has no modes for.
var tagModels = []brute.Model{brute.ARMv8, brute.ARMv7, brute.Power, brute.RISCV}

// TestTags is TestDependencies for programs with instructions of an architecture, through the compilation
// mapping and without it.
func TestTags(t *testing.T) {
	for _, m := range tagModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 3)), brute.Config{Deps: true, Tags: m})
				for _, m := range []brute.Model{m, m.Raw()} {
					if diff := compare(t, p, m, 1, false); diff != "" {
						t.Fatalf("seed %d, model %s:\n%v\n%s\nsmaller: %v", s, m, p, diff, shrink(t, p, m))
					}
				}
			}
		})
	}
}

// TestDepWorkers compares what several workers find.
func TestDepWorkers(t *testing.T) {
	for i := range *programs / 4 {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Deps: true})
		if diff := compare(t, p, brute.IMM, 4, false); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// depFound are programs on which shortcuts of the exploration lose executions: those that are known
// from prototypes and other tools, and those that random programs have led to.
var depFound = []struct{ prog, why string }{
	{"r=y || a=y; y=1 || y=2", "the co-latest choice need not be consistent"},
	{"FADD(x,1); FADD(y,1) || FADD(y,2); FADD(x,1)", "load buffering shows where an RMW has no place"},
	{"XCHG(x,1); FADD(y,1) || FADD(y,2); XCHG(x,2)", "as above"},
	{"x=1; a=x; x=2 || a=x; b=x; x=a", "as above"},
	{"r=y || a=y; y=2; b=y; y=b || y=1", "detours and po|loc belong to the prefix"},
	{"a=y.acq; b=y; CAS(x,0,2) || x=2; y=1.rel || y=2", "acquire and release order belongs to the prefix"},
	{"a=y.acq; x=1 || a=x; z=1.rel; b=z; y=b", "barriers are not followed through rfi"},
	{"a=x || y=1; CAS(y,1,1) || r=CAS(y,1,2); x=r+1", "the write of an RMW is kept with its read"},
	{"a=x || y=1; CAS(y,1,1) || q=z; r=CAS(y,1,q+2); x=r+1", "unless it depends on more"},
	{"y=1; r=x || CAS(y,1,2); F.rel; x=2", "a CAS is a branch"},
	{"r=x; y=3 || r=XCHG(y,1); [x+r]=1 || x=1; r=XCHG(x,2); y=2", "a read of another thread's write comes after what its own did at the location"},
	{"a=y; b=x || c=x; x=2; d=x; y=d*0+2", "what was pulled may be deleted"},
	{"r1=y || r0=FADD(y,1) || r0=x; r1=[x+r0]; r2=y; y=r2+2", "addr;po goes through holes"},
	{"r0=CAS(x,0,2).rel || r0=XCHG(y,2); x=r0*0+1 || r0=x; r1=CAS(x,0,2).rlx/acq; [y+r1]=2", "a write that revisited keeps what it pulled"},
	{"r0=x.acq; y=2 || r0=y; r1=CAS(y,0,r0*0+1).rlx/acq; [x+r1]=r0*0+1", "the place of an RMW's write is that of its read"},
	{"r0=x.acq; CAS(y,1,2).acqrel/rlx || r0=x; y=2.rel || y=2.sc; y=2.sc; x=1", "barriers of the mapping stay where an access is a hole"},
	{"r0=x; y=r0*0+1 || r0=y; z=r0 || r0=z.acq; x=1.rel || r0=x; x=2", "armv7 does not keep a read before a write of its location"},
	{"r0=XCHG(y,1); r1=y; x=r1*0+1 || r0=x; F.acqrel; y=1", "an exchange writes whatever it reads"},
	{"r0=FADD(x,1) || r0=y; x=1 || r0=XCHG(x,1); y=2 || x=2", "two RMWs can't read the same write: the write of one comes before others go on"},
	{"r0=x || r1=x; x=1 || r0=CAS(x,0,2)", "but what a revisit deletes comes before the write of an RMW that is the revisitor"},
	{"r0=x || x=1; x=1 || r0=XCHG(x,2)", "as above"},
	{"r0=x; [y+r0]=2 || r0=XCHG(y,1); x=r0+2 || r0=XCHG(x,2); [y+r0]=2", "armv7: a store-exclusive comes after its load-exclusive"},
	{"r0=XCHG(x,2); r1=x; [y+r1]=r0*0+1 || r0=y; r1=[y+r0]; x=1 || r0=FADD(x,1); y=2", "from a random program"},
	{"y=1; r=x || CAS(y,1,2); F.dmb.st; x=2", "a CAS is a branch, also where the fence does not matter"},
	{"r0=x; if(r0==0){}; F.isb; r1=y; y=2 || r0=y; x=r0*0+1", "isb orders reads after a branch"},
	{"r0=x; r1=[z+r0]; F.isync; r2=y; z=r2 || r0=z; x=r0*0+1 || y=1", "isync needs a branch, isb on ARMv8 does not"},
	{"r1=x || r0=y; x=r0*0+1 || r0=x; x=2; r1=x; [y+r1]=1", "what was pulled by order may depend on the puller, through rfi"},
	{"r1=x || r0=y; x=r0*0+1 || r0=XCHG(x,1); r1=x; [y+r1]=1", "as above"},
	{"r=x || r0=z; x=r0*0+1; x=2; r1=x; [y+r1]=1 || r0=y; z=r0*0+1", "as above, with a write between"},
	{"a=z || a=y.acq; x=1 || a=x; z=1.rel; b=z; y=b", "as above, with a barrier"},
	{"r0=x || r0=y; x=r0*0+2 || r0=x; x=1; r1=x; y=r1*0+1 || x=2", "what such a read had pulled goes"},
	{"r0=y || r0=x; y=r0+2 || r0=FADD(y,1); y=1; x=2", "what comes after the revisiting write does not come before other threads go on"},
	{"r=x; START(1) || z=1 || START(3); JOIN(3); x=2 || r=x", "what a thread waits for comes before other threads, as if it were a part of it"},
	{"START(1); JOIN(1); r=y || r=x || r=z; if(r==0){START(3); JOIN(3)}; x=2.rel; s=z.acq || r=XCHG(x,1); y=r+2", "as above"},
	{"r0=x; START(3); START(2); START(1); JOIN(2); JOIN(1) || r0=FADD(y,1).acqrel; F.acq; [x+r0]=2 || F.acqrel; r0=x || r0=y.acq; x=r0*0+2.rel", "as above: it need not come in its turn"},
	{"F.sc; START(3); r0=x; JOIN(3) || START(2); JOIN(2); r0=y || r0=FADD(x,1); y=2 || r0=y; if(r0==1){}; x=2", "the write of an RMW whose read is kept comes whatever others have done"},
	{"START(1); r0=XCHG(x,2); JOIN(1); y=2 || START(2); r0=y; x=r0+2; JOIN(2) || r0=x; x=1; y=1", "all threads may wait for the end of the one whose write fills a hole"},
	{"x=1; y=1.rel || r0=XCHG(y,2); r=y.acq; s=x", "a release sequence that ends in the thread which acquires it"},
	{"x=1; y=1.rel || r0=XCHG(y,2); r=y; F.acq; s=x", "as above, with a fence"},
	{"x=1; y=1.rel || r0=XCHG(y,2); r1=XCHG(y,3); r=y.acq; s=x", "as above, with two steps"},
	{"x=1; F.rel; y=1 || r0=CAS(y,1,2); r=y.acq; s=x", "as above, with fences on the other side"},
	{"x=1; y=1.rel || r0=FADD(y,1); r1=FADD(y,1) || r=y.acq; s=x", "a release sequence with two steps in one thread"},
	{"x=1; y=1.rel || r0=FADD(y,1); r1=FADD(y,1) || r=y.acq; x=2", "as above, with a write"},
	{"x=1 || a=x; y=1.rel || r=y.acq; s=x", "what a releasing thread has read"},
	{"x=1 || a=x; y=1.rel || r0=XCHG(y,2).acq; s=x", "as above, with an RMW"},
	{"x=1; y=1.rel || a=y.acq; z=1.rel || r=z.acq; s=x", "two steps of synchronisation"},
	{"x=1; y=1.rel || CAS(y,2,3).rlx/acq; s=x", "a CAS that fails acquires"},
	{"r0=x || r0=y; x=r0*0+2; x=2 || r0=x; y=2.rel || r0=y; x=r0+1", "what armv7 reads may leave no place in co for a write before one that is kept"},
	{"r=l; if(r==0){x=2} || r0=x; x=r0+2; r1=x.acq; l=0", "imm does not order what a write depends on before what comes after an acquire of it"},
	{"r=l; if(r==1){z=1} || r0=z; x=r0; r1=x; y=r1; r2=y.acq; l=1", "as above, with two steps"},
	{"CAS(l,0,1); x=2 || r0=x; x=r0+2; r1=XCHG(x,1); l=0", "as above, with an RMW"},
	{"r=l; if(r==1){z=1} || r0=z; x=r0; r1=x.acq; l=1; r2=x || x=3", "as above, with another write"},
	{"r0=x || r0=y; x=r0*0+2 || r0=XCHG(x,1); r1=x; y=r1*0+1 || x=2", "power orders all accesses of a location before what depends on the last"},
}

// TestDepFound compares the executions of these programs with those that the enumerator finds.
func TestDepFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all programs under all models")
	}
	for _, test := range depFound {
		p := brute.MustParse(test.prog)
		models := slices.Clone(allDepModels)
		for _, m := range tagModels {
			models = append(models, m.Raw())
		}
		for _, m := range models {
			if diff := compare(t, p, m, 1, false); diff != "" {
				t.Errorf("%s, model %s (%s):\n%s", test.prog, m, test.why, diff)
			}
		}
	}
}

// TestAcyclicFirst compares the two explorations of models that track dependencies on programs that are too large for the
// enumerator.
func TestAcyclicFirst(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs / 10 {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 5)), brute.Config{Deps: true, PerThread: 6, Total: 12})
				want := map[string]bool{}
				for _, k := range explored(t, p, m, 1, false, true) {
					want[k] = true
				}
				var diff strings.Builder
				if exploretest.Compare(&diff, want, explored(t, p, m, 1, false, false)); diff.Len() > 0 {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, &diff)
				}
			}
		})
	}
}
