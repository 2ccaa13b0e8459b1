package states

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	rt "ravel/internal/runtime"
	"ravel/internal/short"
)

func loadC(t testing.TB, file string, flags ...string) *ir.Program {
	t.Helper()
	dir := t.TempDir()
	if err := rt.WriteHeaders(dir); err != nil {
		t.Fatal(err)
	}
	p, err := llvm.Load([]string{"../../testdata/c/states/" + file}, llvm.Options{Flags: flags, IncludeDir: dir, Runtime: rt.Library()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The sizes of concurrent counting with dead values cleared, of peers.md: a Promela model with one transition for
// each CAS, each start of a thread, each join and the last check. Here a thread starts with its creation, which makes fewer states
// unless the program makes a step of it.
func TestCounting(t *testing.T) {
	for _, test := range []struct {
		flag string
		por  bool
		want []int64
	}{
		{"-DSTART", false, []int64{243, 4873, 57962, 387264}},
		{"-DNONE", false, []int64{138, 4013, 53150, 368949}},
		{"-DNONE", true, nil}, // what reducedCounting says
	} {
		for i := range short.Count(4, 3) {
			var want int64
			if test.want == nil {
				want = reducedCounting(i + 1)
			} else {
				want = test.want[i]
			}
			p := loadC(t, "counting.c", test.flag, fmt.Sprintf("-DINCS=%d", i+1))
			res := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true}, POR: test.por})
			if res.Stored != want || len(res.Errors) > 0 || res.GaveUp+res.Cut != "" {
				t.Errorf("%d increments (%s): %d states, want %d\n%+v", i+1, test.flag, res.Stored, want, res)
			}
			if want > 50_000 && res.Memory.Bytes > 16*want {
				t.Errorf("%d increments: %d bytes for %d states", i+1, res.Memory.Bytes, want)
			}
		}
	}
}

// A counting is a state of counting.c: a thread that counts has done i increments and expects j; main, thread 0, waits for thread joins after that.
type counting struct {
	counter int
	threads [4]struct {
		i, j int
		done bool
	}
	joins int // 4: the program has ended
}

// reducedCounting returns how many states of counting.c partial-order reduction stores, from what it should do alone: a thread goes on if nobody else counts any
// more, main goes on if the thread that it joins has ended, and if it can then nobody else needs to move.
func reducedCounting(incs int) int64 {
	step := func(s *counting, t int) {
		switch x := &s.threads[t]; {
		case x.done:
			s.joins++
		case s.counter == x.j:
			s.counter++
			x.i++
			x.j, x.done = x.i, x.i == incs
		default:
			x.j = s.counter
		}
	}
	canJoin := func(s *counting) bool { return s.threads[0].done && s.joins < 4 && s.threads[s.joins].done }
	count := func(s *counting) (n int) {
		for _, x := range s.threads {
			if !x.done {
				n++
			}
		}
		return n
	}
	seen := map[counting]bool{{joins: 1}: true}
	for todo := []counting{{joins: 1}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for t := range s.threads {
			if s.threads[t].done && !(t == 0 && canJoin(&s)) || canJoin(&s) && t > 0 {
				continue
			}
			next := s
			for step(&next, t); !next.threads[t].done && count(&next) == 1 || t == 0 && canJoin(&next); {
				step(&next, t)
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return int64(len(seen))
}

// Programs and what is wrong with them, with the strongest model that has the error.
func TestPrograms(t *testing.T) {
	for _, test := range short.Every(5, []struct {
		file, flags string
		model       Model
		change      func(*Options)
		kind        string // "" is right
		strongest   string
	}{
		{"philosophers.c", "-DLEFT", SC, nil, "deadlock", "sc"},
		{"philosophers.c", "-DLEFT", PSO, nil, "deadlock", "sc"},
		{"philosophers.c", "", SC, live, "", ""},
		{"philosophers.c", "", LMO, live, "", ""},
		{"peterson.c", "-DORDER=1", PSO, nil, "assertion", "sc"},
		{"peterson.c", "", SC, live, "", ""},
		{"peterson.c", "", TSO, nil, "assertion", "tso"},
		{"peterson.c", "", LMO, nil, "assertion", "tso"},
		{"peterson.c", "-DFENCE", TSO, live, "", ""},
		{"peterson.c", "-DFENCE", PSO, nil, "assertion", "pso"}, // of flag and turn
		{"peterson.c", "", SC, func(o *Options) { o.LTL = "G (flag[0] -> F T1@end) && F inside" }, "", ""},
		{"peterson.c", "", SC, func(o *Options) { o.LTL = "G !inside" }, "liveness", "sc"},
		{"peterson.c", "", SC, func(o *Options) { o.LTL = "F T1@enter && G (T1@enter -> F T1@end) && G !T1@main" }, "", ""},
		{"peterson.c", "", SC, func(o *Options) { o.LTL = "G !(T1@enter && T2@enter)" }, "liveness", "sc"},
		{"peterson.c", "-DFENCE", PSO, func(o *Options) { o.LTL = "F T1@end" }, "assertion", "pso"},
		{"lostwakeup.c", "", TSO, nil, "deadlock", "sc"},
		{"lostwakeup.c", "-DRIGHT", PSO, live, "", ""},
		{"livelock.c", "", TSO, nil, "", ""},
		{"livelock.c", "", TSO, live, "liveness", "sc"},
		{"back-off.c", "", SC, nil, "", ""},
		{"back-off.c", "", TSO, nil, "", ""},
		{"back-off.c", "", SC, live, "liveness", "sc"},
		{"back-off.c", "-DKEEP", TSO, nil, "deadlock", "sc"},
		{"election.c", "", SC, live, "", ""},
		{"election.c", "", SC, func(o *Options) { o.LTL = "F leader == 3 && G (leader == 0 || leader == 3)" }, "", ""},
		{"election.c", "", TSO, func(o *Options) { o.LTL = "F leader == 2" }, "liveness", ""},
		{"loop.c", "", SC, nil, "", ""},
		{"loop.c", "", TSO, live, "liveness", "sc"},
		{"loop.c", "", SC, func(o *Options) { o.LTL = "G F turn == 1 && G F turn == 0" }, "", ""},
		{"many.c", "", TSO, nil, "", ""},
		{"boxes.c", "", LMO, nil, "", ""},
		{"boxes.c", "-DWRONG", LMO, nil, "memory", "sc"},
		{"boxes.c", "-DWRONG -DROUNDS=3", SC, nil, "memory", "sc"},
		{"handover.c", "", LMO, nil, "", ""},
		{"handover.c", "-DTWICE", LMO, nil, "memory", "sc"},
		{"handover.c", "", SC, func(o *Options) { o.LTL = "G F slot != 0" }, "", ""},
		{"early.c", "", TSO, nil, "assertion", "sc"},
		{"early.c", "", LMO, nil, "assertion", "sc"},
		{"deferred.c", "-DCALL", LMO, nil, "", ""},
		{"deferred.c", "-DCALL", RMO, nil, "assertion", "rmo"},
		{"deferred.c", "-DADDRESS", LMO, nil, "", ""},
		{"deferred.c", "-DADDRESS", RMO, nil, "assertion", "rmo"},
		{"deferred.c", "-DRMW", LMO, nil, "", ""},
		{"deferred.c", "-DRMW", RMO, nil, "assertion", "rmo"},
		{"deferred.c", "-DPOINTER", RMO, live, "", ""},
		{"deferred.c", "-DNULL_POINTER", RMO, nil, "memory", "sc"},
		{"deferred.c", "-DALIAS", RMO, live, "", ""},
		{"deferred.c", "-DALIAS", RMO, func(o *Options) { o.LTL = "F (T1@end && T2@end)" }, "", ""},
		{"deep.c", "-DN=300", SC, nil, "", ""},
		{"deep.c", "-DWRONG", TSO, nil, "assertion", "sc"},
		{"deep.c", "", LMO, many, "", ""},
		{"deep.c", "-DWRONG", LMO, many, "assertion", "sc"},
		{"deep.c", "", RMO, many, "", ""},
		{"deep.c", "-DWRONG", RMO, many, "assertion", "sc"},
		{"fair.c", "", TSO, live, "", ""},
		{"fair.c", "", PSO, live, "", ""},
		{"fair.c", "", RMO, live, "", ""},
		{"fair.c", "", PSO, func(o *Options) { o.LTL = "F z" }, "", ""},
		{"drain.c", "", TSO, nil, "", ""},
		{"drain.c", "", PSO, nil, "", ""},
		{"drain.c", "-DRMW", TSO, nil, "", ""},
		{"drain.c", "-DRMW", PSO, nil, "", ""},
		{"drain.c", "-DRMW", LMO, nil, "", ""},
		{"drain.c", "-DMP", PSO, nil, "", ""},
		{"control.c", "", RMO, nil, "", ""},
		{"control.c", "", RMO, speculate, "assertion", "rmo"},
		{"control.c", "", LMO, speculate, "", ""},
		{"control.c", "-DACQUIRE", RMO, speculate, "", ""},
		{"control.c", "-DSPIN", RMO, nil, "", ""},
		{"control.c", "-DSPIN", RMO, speculate, "assertion", "rmo"},
		{"control.c", "-DSPIN -DACQUIRE", RMO, speculate, "", ""},
		{"control.c", "-DSTORE", RMO, speculate, "", ""},
		{"control.c", "-DNULL_POINTER", RMO, speculate, "", ""},
		{"control.c", "-DRACE", RMO, speculate, "", ""},
		{"control.c", "-DFREE", RMO, speculate, "", ""},
		{"control.c", "-DEXIT", RMO, speculate, "", ""},
		{"control.c", "-DASSERT", RMO, speculate, "", ""},
		{"control.c", "-DDIVIDE", RMO, speculate, "", ""},
		{"control.c", "-DTHREAD", RMO, speculate, "", ""},
		{"control.c", "-DSWITCH", RMO, speculate, "", ""},
		{"control.c", "-DNESTED", RMO, speculate, "", ""},
		{"overtaken.c", "", PSO, nil, "", ""},
		{"overtaken.c", "", PSO, relaxed, "assertion", "pso"},
		{"overtaken.c", "", TSO, relaxed, "", ""},
		{"overtaken.c", "", LMO, relaxed, "assertion", "pso"},
		{"overtaken.c", "", LMO, nil, "assertion", "lmo"},
		{"overtaken.c", "-DRELEASE", PSO, relaxed, "", ""},
		{"overtaken.c", "-DFENCE", PSO, relaxed, "", ""},
		{"overtaken.c", "-DPRIVATE", PSO, nil, "", ""},
		{"overtaken.c", "-DPRIVATE", PSO, relaxed, "assertion", "pso"},
		{"overtaken.c", "-DPRIVATE -DRELEASE", PSO, relaxed, "", ""},
		{"partial.c", "", SC, nil, "", ""},
		{"partial.c", "-DUSED", SC, nil, "uninitialised", "sc"},
		{"unsigned.c", "", SC, func(o *Options) { o.LTL = "G x >= 1 && F x > 2999999999 && F x == 3000000000 && F y < 0 && F y == -5" }, "", ""},
		{"unsigned.c", "", SC, func(o *Options) { o.LTL = "G x < 2000000000" }, "liveness", "sc"},
		{"ignored.c", "", SC, nil, "assertion", "sc"},
		{"ignored.c", "", PSO, nil, "assertion", "sc"},
		{"owner.c", "", SC, nil, "memory", "sc"},
		{"owner.c", "-DRIGHT", PSO, nil, "", ""},
		{"uaf.c", "", SC, nil, "memory", "sc"},
		{"uaf.c", "-DRIGHT", SC, nil, "", ""},
	}) {
		var flags []string
		if test.flags != "" {
			flags = strings.Fields(test.flags)
		}
		p := loadC(t, test.file, flags...)
		for _, por := range []bool{false, true} {
			o := Options{Model: test.model, Options: engine.Options{MemoryCheck: true, RaceCheck: true}, POR: por}
			if test.change != nil {
				test.change(&o)
			}
			res := mustExplore(t, p, o)
			kind, strongest := "", ""
			if len(res.Errors) > 0 {
				kind, strongest = res.Errors[0].Kind, res.Errors[0].StrongestModel
				if res.Errors[0].Execution == nil || len(res.Traces[0]) == 0 && test.file != "early.c" && test.file != "partial.c" { // these fail before they move
					t.Errorf("%s %s under %v: no trace", test.file, test.flags, test.model)
				}
				// The threads of these go on for ever, so the trace has to come back to where it was.
				if endless := test.file == "livelock.c" || test.file == "loop.c" || test.file == "back-off.c" && kind == "liveness"; endless != (res.Errors[0].Repeats > 1) {
					t.Errorf("%s %s under %v: %d moves repeat", test.file, test.flags, test.model, res.Errors[0].Repeats)
				}
			}
			if kind != test.kind || test.strongest != "" && strongest != test.strongest || res.GaveUp != "" {
				t.Errorf("%s %s under %v (por %v): %q, strongest model %q; want %q, %q\n%+v", test.file, test.flags, test.model, por, kind, strongest, test.kind, test.strongest, res)
			}
		}
	}
}

// How many callers of a thread are looked at first makes no difference.
func TestFewFrames(t *testing.T) {
	defer func(n int) { fewFrames = n }(fewFrames)
	for _, flag := range []string{"-DNONE", "-DWRONG"} {
		p := loadC(t, "deep.c", flag)
		for m := SC; m < models; m++ {
			var all [2]*Result
			for i, n := range []int{1, 100} {
				fewFrames = n
				all[i] = mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true, KeepGoing: true}, POR: true, Buffer: 16})
			}
			if all[0].Counts != all[1].Counts || len(all[0].Errors) != len(all[1].Errors) || (len(all[0].Errors) > 0) != (flag == "-DWRONG") {
				t.Errorf("%s under %v: %+v and %+v", flag, m, all[0], all[1])
			}
		}
	}
}

// What LLMC's programs may use, under every model.
func TestLLMCForm(t *testing.T) {
	for _, test := range short.Every(3, []struct{ flag, kind string }{{"-DNONE", ""}, {"-DUNGUARDED", "assertion"}, {"-DHALVES", "assertion"}}) {
		p := loadC(t, "llmc.c", "-mcx16", test.flag)
		for m := SC; m < models; m++ {
			res := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, Symmetry: true}, POR: true})
			kind := ""
			if len(res.Errors) > 0 {
				kind = res.Errors[0].Kind
			}
			if kind != test.kind || res.GaveUp != "" || res.Cut != "" && kind == "" {
				t.Errorf("%s under %v: %+v", test.flag, m, res)
			}
		}
	}
}

func live(o *Options) { o.Liveness = true }

func relaxed(o *Options) { o.RelaxedRMW = true }

func speculate(o *Options) { o.Speculate = true }

// many has room for all loads of a recursion in the buffer, and merges what its variables on the stack do.
func many(o *Options) { o.Buffer, o.POR = 16, true }

// A run that stops at its memory limit says so, and claims nothing.
func TestMemoryLimit(t *testing.T) {
	p := loadC(t, "counting.c", "-DINCS=4")
	res := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true, MaxMemory: 1 << 20}})
	if res.GaveUp == "" || len(res.Errors) > 0 || res.Stored == 0 || res.Stored > 200_000 || res.Memory.Bytes > 1<<21 {
		t.Errorf("%+v", res)
	}
}

// Tables in files change nothing, and leave nothing behind.
func TestSpill(t *testing.T) {
	p := loadC(t, "counting.c", "-DINCS=4")
	dir := t.TempDir()
	want := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true, Workers: 2}})
	got := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true, Workers: 2}, Spill: dir})
	if got.Counts != want.Counts || got.GaveUp != "" || got.Memory.Files < got.Memory.Bytes/2 {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files %v are left, %v", left, err)
	}
	res := mustExplore(t, p, Options{Options: engine.Options{MemoryCheck: true}, Spill: dir + "/nowhere"})
	if !strings.Contains(res.GaveUp, "nowhere") || len(res.Errors) > 0 {
		t.Errorf("%+v", res)
	}
}

// The state space does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	p := loadC(t, "counting.c", "-DINCS=3")
	for _, m := range []Model{SC, TSO, LMO} {
		one := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, Workers: 1}})
		four := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, Workers: 4}})
		if one.Counts != four.Counts {
			t.Errorf("%v: %+v with one worker, %+v with four", m, one.Counts, four.Counts)
		}
	}
}

// cpuTime returns what this process has used of processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkExplore reports states per second and bytes per state.
func BenchmarkExplore(b *testing.B) {
	for _, bench := range []struct {
		name, file string
		model      Model
		workers    int
		flags      []string
	}{
		{"counting4x3", "counting.c", SC, 1, []string{"-DINCS=3"}},
		{"counting4x4", "counting.c", SC, 1, []string{"-DINCS=4"}},
		{"counting4x4-2workers", "counting.c", SC, 2, []string{"-DINCS=4"}},
		{"queueX7", "msq.c", LMO, 1, []string{"-mcx16", "-DCONFIG=7"}},
		{"queueX8", "msq.c", LMO, 1, []string{"-mcx16", "-DCONFIG=8"}},
		{"queueX8-2workers", "msq.c", LMO, 2, []string{"-mcx16", "-DCONFIG=8"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := loadC(b, bench.file, bench.flags...)
			var res *Result
			n := int64(0)
			start := cpuTime()
			for b.Loop() {
				res = mustExplore(b, p, Options{Model: bench.model, Options: engine.Options{MemoryCheck: true, Workers: bench.workers}, POR: bench.model > SC})
				n += res.Stored
			}
			b.ReportMetric(float64(res.Stored), "states")
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(n)/(cpuTime()-start).Seconds(), "states/cpu-s")
			b.ReportMetric(float64(res.Memory.Bytes)/float64(res.Stored), "B/state")
		})
	}
}

// The fence tables 5.1 to 5.6 of the thesis: rows and columns are relaxed, acquire, release, seq_cst.
var fenceTables = []struct{ test, rows string }{
	{"SB", "XXXX XXXX XX-- XX--"},
	{"LB", "XXXX X-X- XXXX X-X-"},
	{"IRIW", "XXXX X-X- XXXX X-X-"},
	{"IRIWaddr", "---- ---- ---- ----"},
	{"MP", "XXXX XXXX X-X- X-X-"},
	{"MPdep", "XXXX XXXX ---- ----"},
}

func TestFenceTables(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all placements of fences")
	}
	fences := []string{"relaxed", "acquire", "release", "seq_cst"}
	cells, n := 0, 0
	for _, table := range fenceTables {
		for i, row := range strings.Fields(table.rows) {
			for k, want := range row {
				p := loadC(t, "litmus.c", "-D"+table.test, "-DF0="+fences[i], "-DF1="+fences[k])
				for _, por := range []bool{false, true} {
					res := mustExplore(t, p, Options{Model: LMO, Options: engine.Options{MemoryCheck: true}, POR: por})
					if got := len(res.Errors) > 0; got != (want == 'X') || res.GaveUp != "" {
						t.Errorf("%s %s %s (por %v): %v, want %c", table.test, fences[i], fences[k], por, got, want)
					} else {
						n++
					}
				}
				cells++
			}
		}
	}
	t.Logf("%d of %d runs, %d cells", n, 2*cells, cells)
	if res := mustExplore(t, loadC(t, "dl.c"), Options{Model: LMO, Options: engine.Options{MemoryCheck: true}}); len(res.Errors) > 0 {
		t.Errorf("DL: %v", res.Errors)
	}
}

// Under rmo an increment of what was loaded is not a barrier (thesis, §5.1.6), so MPdep is like MP.
func TestFenceTablesRMO(t *testing.T) {
	fences := []string{"relaxed", "acquire", "release", "seq_cst"}
	for _, test := range short.Every(4, []struct {
		name   string
		f0, f1 int
		want   bool
	}{
		{"MPdep", 0, 0, true},
		{"MPdep", 2, 0, true},
		{"MPdep", 3, 2, true},
		{"MPdep", 2, 1, false},
		{"MPdep", 3, 3, false},
		{"MP", 2, 1, false},
		{"MP", 2, 2, true},
		{"SB", 2, 2, false},
		{"LB", 1, 1, false},
		{"IRIWaddr", 0, 0, false},
	}) {
		p := loadC(t, "litmus.c", "-D"+test.name, "-DF0="+fences[test.f0], "-DF1="+fences[test.f1])
		for _, por := range []bool{false, true} {
			res := mustExplore(t, p, Options{Model: RMO, Options: engine.Options{MemoryCheck: true}, POR: por})
			if got := len(res.Errors) > 0; got != test.want || res.GaveUp+res.Cut != "" && !got {
				t.Errorf("%s %s %s (por %v): %v, want %v", test.name, fences[test.f0], fences[test.f1], por, got, test.want)
			}
		}
	}
}

// TestSections checks programs with atomic sections under all models. What is right follows from what sections are: see the program.
func TestSections(t *testing.T) {
	for _, test := range short.Every(3, []struct {
		flags string
		wrong bool
	}{
		{"-DINCREMENT", false},
		{"-DINCREMENT -DLOCK", true},
		{"-DHIDDEN", false},
		{"-DHIDDEN -DLOCK", true},
		{"-DWAITS", false},
		{"-DWAITS -DLOCK", false},
	}) {
		p := loadC(t, "sections.c", strings.Fields(test.flags)...)
		for m := SC; m < models; m++ {
			for _, por := range []bool{false, true} {
				res := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true}, POR: por})
				if wrong := len(res.Errors) > 0; wrong != test.wrong || res.GaveUp+res.Cut != "" || !wrong && !res.Completes {
					t.Errorf("%s under %v, por %v: %+v", test.flags, m, por, res)
				}
			}
		}
	}
}
