package states

import (
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/report"
)

// procs returns p in the form of procedures. Each returns its first register, if it has any.
func procsOf(p *brute.Prog) *ir.Program {
	prog := brute.Lower(p)
	prog.Main = nil
	for i := range p.Threads {
		for _, f := range prog.Funcs {
			if f.Name != fmt.Sprintf("t%d", i) {
				continue
			}
			f.Name = fmt.Sprintf("llmc_proc%d", i)
			if len(p.Threads[i].Regs) == 0 {
				continue
			}
			for _, b := range f.Blocks {
				if last := &b.Instrs[len(b.Instrs)-1]; last.Op == ir.Ret {
					last.Args = []ir.Operand{ir.R(1)}
				}
			}
		}
	}
	return prog
}

func mustExplore(t testing.TB, p *ir.Program, o Options) *Result {
	t.Helper()
	res, err := Explore(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The sizes of the state space of SB in figures 3.4 and 3.5 of the thesis; with loads in buffers, llmc.md.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		prog  string
		model Model
		want  int64
	}{
		{"x=1; r=y || y=1; s=x", SC, 13},
		{"x=1; r=y || y=1; s=x", LMO, 62},
		{"x=1; r=y || y=1; s=x", TSO, 34},
		{"x=1; r=y || y=1; s=x", PSO, 34},
	} {
		res := mustExplore(t, procsOf(brute.MustParse(test.prog)), Options{Model: test.model, Options: engine.Options{Workers: 1}, Raw: true})
		if res.Stored != test.want {
			t.Errorf("%s under %v: %d states, want %d", test.prog, test.model, res.Stored, test.want)
		}
	}
}

// The formats of state spaces.
func TestSpace(t *testing.T) {
	p := procsOf(brute.MustParse("x=1; r=y || y=1; s=x"))
	space, res, err := Space(t.Context(), p, Options{Model: TSO, Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	if space.States != 34 || int64(len(space.Edges)) != res.Transitions {
		t.Errorf("%d states, %d edges, want 34 and %d", space.States, len(space.Edges), res.Transitions)
	}
	var aut, dot strings.Builder
	if err := space.WriteAUT(&aut); err != nil {
		t.Fatal(err)
	}
	if err := space.WriteDOT(&dot); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("des (0,%d,34)\n(0,\"t1: x = 1\",1)\n(0,\"t2: y = 1\",2)\n(1,\"t1: read y\",3)\n(1,\"t1: x = 1 reaches memory\",4)\n", len(space.Edges))
	if !strings.HasPrefix(aut.String(), want) {
		t.Errorf("got\n%.200s\nwant\n%s", aut.String(), want)
	}
	for _, ends := range []bool{false, true} {
		var tau strings.Builder
		if err := space.WriteTau(&tau, ends); err != nil {
			t.Fatal(err)
		}
		fini := strings.Count(tau.String(), `"fini"`)
		// The program ends in four states: each register is 0 or 1, and memory is the same.
		if len(space.Ended) != 4 || ends != (fini == 4) || strings.Count(tau.String(), `"tau"`) != len(space.Edges) {
			t.Errorf("%d ends, %d fini\n%.200s", len(space.Ended), fini, tau.String())
		}
	}
	var svg strings.Builder
	if err := space.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Circles []struct{} `xml:"circle"`
		Paths   []struct{} `xml:"path"`
	}
	if err := xml.Unmarshal([]byte(svg.String()), &doc); err != nil || len(doc.Circles) != 34 || len(doc.Paths) != len(space.Edges) {
		t.Errorf("%v\n%.200s", err, svg.String())
	}
	var large *TooLarge
	if err := (&LTS{States: 1000}).WriteSVG(&svg); !errors.As(err, &large) {
		t.Errorf("1000 states: %v", err)
	}
	if !strings.HasPrefix(dot.String(), "digraph states {") || strings.Count(dot.String(), "->") != len(space.Edges) {
		t.Errorf("got\n%.200s", dot.String())
	}
}

// A trace says what is in the buffers.
func TestTrace(t *testing.T) {
	p := loadC(t, "litmus.c", "-DMP", "-DF0=relaxed", "-DF1=acquire")
	res := mustExplore(t, p, Options{Model: LMO, Options: engine.Options{MemoryCheck: true}, POR: true})
	if len(res.Errors) != 1 || res.Errors[0].StrongestModel != "pso" {
		t.Fatalf("%+v", res)
	}
	var got strings.Builder
	var code []string
	for _, s := range res.Traces[0] {
		s.Location = report.Location{}
		fmt.Fprintln(&got, s)
		code = append(code, s.Instruction)
	}
	wantCode := []string{
		"store i32 1, ptr @x", "store i32 1, ptr @y", "load i32, ptr @y", "; store i32 1, ptr @y leaves the buffer", "; load i32, ptr @y leaves the buffer",
		"load i32, ptr @x", "; load i32, ptr @x leaves the buffer",
	}
	if !slices.Equal(code, wantCode) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(code, "\n"), strings.Join(wantCode, "\n"))
	}
	want := `T1 x = 1  [T1: x=1]
T1 y = 1  [T1: x=1, y=1]
T2 read y  [T1: x=1, y=1]  [T2: reads y]
T1 y = 1 reaches memory  [T1: x=1]  [T2: reads y]
T2 y is read  [T1: x=1]
T2 read x  [T1: x=1]  [T2: reads x]
T2 x is read  [T1: x=1]
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// The first model that breaks a program.
func TestAll(t *testing.T) {
	for _, test := range []struct{ test, f0, f1, want string }{
		{"SB", "relaxed", "relaxed", "tso"},
		{"SB", "release", "release", "tso"}, // though lmo allows it not
		{"SB", "seq_cst", "seq_cst", ""},
		{"MP", "relaxed", "acquire", "pso"},
		{"MP", "release", "relaxed", "lmo"},
		{"MP", "release", "acquire", ""},
		{"LB", "relaxed", "relaxed", "lmo"},
	} {
		p := loadC(t, "litmus.c", "-D"+test.test, "-DF0="+test.f0, "-DF1="+test.f1)
		res, err := ExploreAll(t.Context(), p, Options{Options: engine.Options{MemoryCheck: true}, POR: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(res.Errors) > 0 {
			got = res.Errors[0].StrongestModel
		}
		if got != test.want {
			t.Errorf("%s %s %s: strongest model %q, want %q", test.test, test.f0, test.f1, got, test.want)
		}
	}
}
