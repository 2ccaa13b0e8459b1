package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ravel/internal/report"
	"ravel/internal/short"
)

// sb is the litmus test SB in the form of procedures.
const sb = `#include <assert.h>
#include <llmc.h>
int x, y, r, s;
int llmc_init() { x = 0; return 0; }
int llmc_proc0() { x = 1; FENCE; r = y; return 0; }
int llmc_proc1() { y = 1; FENCE; s = x; return 0; }
int llmc_fini() { assert(r || s); return 0; }
`

// endless has no bound, and a number of states that is not finite.
const endless = `#include <stdatomic.h>
#include <pthread.h>
atomic_ulong n;
void *count(void *u) { for (;;) n++; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, count, 0);
	count(0);
}
`

func TestStatesWrongUse(t *testing.T) {
	needClang(t)
	for _, w := range short.Every(3, []wrong{
		{
			name: "flag of the graph engine", args: []string{"check", "--engine", "states", "--coherence", "total", "x.c"}, status: 2,
			want: []string{"--coherence is for --engine graphs"},
		},
		{
			name: "flag of the state engine", args: []string{"check", "--por=false", "x.c"}, status: 2,
			want: []string{"--por is for --engine states"},
		},
		{
			name: "unknown engine", args: []string{"check", "--engine", "steam", "x.c"}, status: 2,
			want: []string{"--engine steam: it takes graphs or states"},
		},
		{
			name: "model of the graph engine", args: []string{"check", "--engine", "states", "--model", "rc11", "x.c"}, status: 2,
			want: []string{"explicit states are for models that are store buffers: sc, tso, pso, lmo, rmo", "lmo"},
		},
		{
			name: "model of the state engine", args: []string{"check", "--model", "lmo", "x.c"}, status: 2,
			want: []string{"it has no axioms: ravel check --engine states runs it"},
		},
		{
			name: "mistyped model", args: []string{"check", "--engine", "states", "--model", "tos", "x.c"}, status: 2,
			want: []string{`"tos": did you mean tso?`},
		},
		{
			name: "variant of another model", args: []string{"check", "--engine", "states", "--model", "tso", "--variant", "relaxed-rmw", "x.c"}, status: 2,
			want: []string{`tso has no variant "relaxed-rmw"`, "pso has relaxed-rmw, rmo has speculate"},
		},
		{
			name: "unknown variant", args: []string{"check", "--engine", "states", "--model", "pso", "--variant", "direct", "x.c"}, status: 2,
			want: []string{`pso has no variant "direct"`, "pso has relaxed-rmw"},
		},
		{
			name: "variant of the other engine", args: []string{"check", "--model", "pso", "--variant", "relaxed-rmw", "x.c"}, status: 2,
			want: []string{"with --engine states pso has relaxed-rmw"},
		},
		{
			name: "variant", args: []string{"check", "--engine", "states", "--model", "pso", "--variant", "relaxed-rmw", "../../testdata/c/states/overtaken.c"}, status: 1,
			want: []string{"assertion"},
		},
		{
			name: "guessed branches", args: []string{"check", "--engine", "states", "--model", "rmo", "--variant", "speculate", "../../testdata/c/states/control.c"}, status: 1,
			want: []string{"assertion"},
		},
		{
			name: "guessed rounds of a loop", args: []string{"check", "--engine", "states", "--model", "rmo", "--variant", "speculate", "../../testdata/c/states/control.c", "--", "-DSPIN", "-DACQUIRE"},
			status: 0, want: []string{"verified: no errors"},
		},
		{
			name: "buffer", args: []string{"check", "--engine", "states", "--buffer", "0", "x.c"}, status: 2,
			want: []string{"--buffer 0"},
		},
		{
			name: "states of all models", args: []string{"check", "--engine", "states", "--states-aut", "x.aut", "x.c"}, status: 2,
			want: []string{"--states-aut", "one model"},
		},
		{
			name: "formula", file: "x.c", text: "int main(void) { return 0; }\n",
			args: []string{"check", "--engine", "states", "--ltl", "G(x", "FILE"}, status: 2,
			want: []string{`formula: ( without )`},
		},
		{
			name: "variable", file: "x.c", text: "int main(void) { return 0; }\n",
			args: []string{"check", "--engine", "states", "--ltl", "F grant", "FILE"}, status: 2,
			want: []string{"the program has no variable grant"},
		},
		{
			name: "neither main nor procedures", file: "x.c", text: "int f(void) { return 0; }\n",
			args: []string{"check", "--engine", "states", "FILE"}, status: 2,
			want: []string{"FILE: the program has no function main, nor any llmc_proc*"},
		},
		{
			name: "procedures", file: "x.c", text: sb, args: []string{"check", "FILE", "--", "-DFENCE="}, status: 2,
			want: []string{"FILE: the program has no function main; --engine states"},
		},
		{
			name: "races of procedures", file: "x.c", text: sb, args: []string{"check", "--engine", "states", "FILE", "--", "-DFENCE="}, status: 1,
			want: []string{"data race", "--no-race-check"},
		},
		{
			name: "time", file: "x.c", text: endless, args: []string{"check", "--engine", "states", "--timeout", "300ms", "FILE"}, status: 3,
			want: []string{"unknown: stopped after 300ms (--timeout); no errors in", "states (all,"},
		},
		{
			name: "memory", file: "x.c", text: endless, args: []string{"check", "--engine", "states", "--model", "sc", "--max-memory", "64M", "--timeout", "1m", "FILE"}, status: 3,
			want: []string{"unknown: stopped at the memory limit (--max-memory); no errors in"},
		},
		{
			name: "unroll", file: "x.c", text: endless, args: []string{"check", "--engine", "states", "--unroll", "2", "FILE"}, status: 3,
			want: []string{"bounded: loops were cut after 2 iterations (--unroll)"},
		},
		{
			name: "full buffer", file: "x.c", text: "int x, y;\nint main(void)\n{\n\tx = 1;\n\ty = 1;\n\tx = 2;\n}\n",
			args: []string{"check", "--engine", "states", "--model", "tso", "--buffer", "1", "--por=false", "FILE"}, status: 3,
			want: []string{"bounded: a store buffer was full at 1 entries (--buffer)"},
		},
		{
			name: "blocked", file: "x.c", text: "#include <llmc.h>\nint x;\nint main(void) { llmc_assume(x == 1); }\n",
			args: []string{"check", "--engine", "states", "FILE"}, status: 3,
			want: []string{"warning: FILE:3:18: thread 0 stays here: the assumption does not hold", "unknown: no execution comes to its end"},
		},
	}) {
		t.Run(w.name, func(t *testing.T) {
			if w.name == "memory" && testing.Short() {
				t.Skip("fills 64 MB with states")
			}
			expect(t, w, writeProgram(t, w.file, w.text))
		})
	}
}

// TestStatesJSON checks the fields of the contract, and the names of LLMC.
func TestStatesJSON(t *testing.T) {
	needClang(t)
	file := writeProgram(t, "sb.c", sb)
	for _, test := range short.Every(3, []struct{ model, fence, verdict, strongest string }{
		{"sc", "", "verified", ""},
		{"tso", "", "error", "tso"},
		{"lmo", "", "error", "tso"},
		{"all", "", "error", "tso"},
		{"all", "llmc_barrier_acquire()", "error", "tso"},
		{"tso", "llmc_barrier_release()", "error", "tso"},
		{"lmo", "llmc_barrier_ss()", "verified", ""},
		{"lmo", "llmc_barrier_ll()", "error", "tso"},
		{"all", "llmc_barrier_seq_cst()", "verified", ""},
	}) {
		status, out, errs := runRavel(t, "check", "--engine", "states", "--model", test.model, "--no-race-check", "--json", file, "--", "-DFENCE="+test.fence)
		var res report.Result
		if err := json.Unmarshal([]byte(out), &res); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		if string(res.Verdict) != test.verdict || status != res.Verdict.ExitStatus() {
			t.Errorf("%s %s: %s, status %d, want %s", test.model, test.fence, res.Verdict, status, test.verdict)
		}
		if res.Engine != "states" || res.Model != test.model || res.States.Stored == 0 || res.States.Transitions == 0 || res.Seconds == 0 || res.PeakMemory == 0 {
			t.Errorf("%s", out)
		}
		if test.verdict != "error" {
			continue
		}
		if len(res.Errors) != 1 {
			t.Fatalf("%d errors", len(res.Errors))
		}
		e := res.Errors[0]
		if e.Kind != "assertion" || e.StrongestModel != test.strongest || e.Location.Line != 7 || len(e.Steps) == 0 {
			t.Errorf("%s %s: %s", test.model, test.fence, out)
		}
	}
}

var autEdge = regexp.MustCompile(`^\((\d+),"t\d+: [ -~]*",(\d+)\)$`)

// TestStateSpace reads the files of --states-aut and --states-dot.
func TestStateSpace(t *testing.T) {
	needClang(t)
	file := writeProgram(t, "sb.c", sb)
	for _, model := range []string{"sc", "tso", "lmo"} {
		aut, dot := filepath.Join(t.TempDir(), "sb.aut"), filepath.Join(t.TempDir(), "sb.dot")
		_, out, errs := runRavel(t, "check", "--engine", "states", "--model", model, "--no-race-check", "--por=false", "--json", "--states-aut", aut, "--states-dot", dot, file, "--", "-DFENCE=")
		var res report.Result
		if err := json.Unmarshal([]byte(out), &res); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		want := res.States.Stored
		if len(res.Errors) > 0 {
			want++ // the state that errors lead to
		}
		text, err := os.ReadFile(aut)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if head := fmt.Sprintf("des (0,%d,%d)", res.States.Transitions, want); lines[0] != head || int64(len(lines)) != 1+res.States.Transitions {
			t.Errorf("%s: %s and %d edges, want %s", model, lines[0], len(lines)-1, head)
		}
		seen := map[string]bool{"0": true}
		for _, l := range lines[1:] {
			if m := autEdge.FindStringSubmatch(l); m == nil || !seen[m[1]] {
				t.Errorf("%s: %s", model, l)
			} else {
				seen[m[2]] = true
			}
		}
		if int64(len(seen)) != want {
			t.Errorf("%s: %d states can be reached, want %d", model, len(seen), want)
		}
		if text, err = os.ReadFile(dot); err != nil || int64(strings.Count(string(text), " -> ")) != res.States.Transitions {
			t.Errorf("%s: %v\n%.300s", model, err, text)
		}
	}
	// What is not complete is not written.
	file = writeProgram(t, "endless.c", endless)
	aut := filepath.Join(t.TempDir(), "endless.aut")
	_, out, _ := runRavel(t, "check", "--engine", "states", "--model", "sc", "--timeout", "200ms", "--states-aut", aut, file)
	if _, err := os.Stat(aut); err == nil || !strings.Contains(out, "warning: the state space is not complete, so it was not written") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExamples runs the commands in the comments of the examples: what follows # is the verdict, and for
// errors the strongest model that has them.
func TestExamples(t *testing.T) {
	needClang(t)
	t.Chdir("../..")
	line := regexp.MustCompile(`(?m)^ \* +ravel (check .*?) +# (verified|error): ?(.*)$|^ \* +ravel (check .*?) +# (verified)$`)
	word := regexp.MustCompile(`'[^']*'|\S+`)
	for _, file := range []string{"examples/peterson.c", "examples/philosophers.c"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		commands := line.FindAllStringSubmatch(string(text), -1)
		if len(commands) != strings.Count(string(text), "ravel check") {
			t.Errorf("%s: some commands have no verdict", file)
		}
		for _, c := range commands {
			command, verdict, strongest := c[1]+c[4], c[2]+c[5], c[3]
			args := word.FindAllString(command, -1)
			for i := range args {
				args[i] = strings.Trim(args[i], "'")
			}
			_, out, errs := runRavel(t, args...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if !strings.HasPrefix(lines[len(lines)-1], verdict+":") {
				t.Errorf("ravel %s: want %s\n%s%s", command, verdict, out, errs)
			}
			if strongest != "" && !strings.Contains(out, "the strongest model under which this happens is "+strongest+"\n") {
				t.Errorf("ravel %s: want an error from %s on\n%s", command, strongest, out)
			}
		}
	}
}
