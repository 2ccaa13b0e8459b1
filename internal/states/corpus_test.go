package states

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/frontend/llvm"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
	rt "ravel/internal/runtime"
)

const corpus = "../../testdata"

var (
	wholeCorpus = flag.Bool("corpus", false, "compare with the graph engine on the whole corpus")
	corpusLimit = flag.Duration("corpus-limit", 3*time.Second, "for each engine, model and program of it")
)

// TestCorpus compares verdicts with those of the graph engine.
func TestCorpus(t *testing.T) {
	if !*wholeCorpus {
		t.Skip("takes minutes: give -corpus")
	}
	compared, not := 0, 0
	for _, sub := range strings.Fields("c/errors c/ok c/suites c/structures/wrong cxx rust c/litmus c/xmm c/structures c/bench") {
		dir := filepath.Join(corpus, sub)
		data, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		var header []string
		seen := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\r\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			fields := strings.Split(line, "\t")
			if header == nil {
				header = fields
				continue
			}
			row := map[string]string{}
			for i, f := range fields {
				row[header[i]] = f
			}
			name := strings.TrimSpace(sub + "/" + row["file"] + " " + row["flags"])
			if seen[name] { // for another model
				continue
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) {
				n, left := compareEngines(t, dir, row)
				compared += n
				not += left
			})
		}
	}
	t.Logf("%d verdicts were compared, %d could not be", compared, not)
}

// compareEngines returns for how many models it could compare the verdicts, and for how many it could not.
func compareEngines(t *testing.T, dir string, row map[string]string) (compared, not int) {
	o := Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Symmetry: true, Timeout: *corpusLimit, MaxMemory: 6 << 30}, POR: true, Buffer: 24}
	g := explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 2, Machine: machine.Options{SpinAssume: true}, Timeout: *corpusLimit}}
	var flags []string
	fields := strings.Fields(row["flags"])
	for i := 0; i < len(fields); i++ {
		switch f := fields[i]; {
		case f == "--model": // not that one
			i++
		case f == "--coherence":
			i++
			g.Observed = fields[i] == "observed"
		case f == "--":
		case f == "--no-race-check":
			o.RaceCheck, g.RaceCheck = false, false
		case strings.HasPrefix(f, "--timeout="):
			limit, err := time.ParseDuration(strings.TrimPrefix(f, "--timeout="))
			if err != nil {
				t.Fatal(err)
			}
			o.Timeout, g.Timeout = limit, limit
		case f == "--liveness":
			o.Liveness, g.Liveness = true, true
		case f == "--no-spurious-cas":
			o.NoSpuriousCAS, g.NoSpuriousCAS = true, true
		case f == "--no-spurious-wakeups":
			o.Machine.NoWakeups, g.Machine.NoWakeups = true, true
		case f == "--unroll":
			i++
			n, _ := strconv.Atoi(fields[i])
			o.Machine.Unroll, g.Machine.Unroll = n, n
		case strings.HasPrefix(f, "--unroll="):
			n, _ := strconv.Atoi(strings.TrimPrefix(f, "--unroll="))
			o.Machine.Unroll, g.Machine.Unroll = n, n
		default:
			flags = append(flags, f)
		}
	}
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	p, err := llvm.Load([]string{filepath.Join(dir, row["file"])}, llvm.Options{Flags: flags, IncludeDir: include, Runtime: rt.Library(), Runtime32: rt.Library32()})
	if err != nil {
		t.Skip(err)
	}
	for _, m := range []Model{SC, TSO, PSO} {
		o.Model = m
		g.Model, _ = model.Get(m.String(), model.Options{})
		want, wantErr := explore.Explore(t.Context(), p, g)
		start := time.Now()
		got, gotErr := Explore(t.Context(), p, o)
		if (wantErr != nil) != (gotErr != nil) {
			t.Errorf("%v: graphs: %v; states: %v", m, wantErr, gotErr)
			continue
		}
		if wantErr != nil {
			compared++
			continue
		}
		if want.GaveUp != "" && got.GaveUp != "" {
			compared++ // neither can say
			continue
		}
		if want.GaveUp != "" || got.GaveUp != "" || strings.Contains(got.Cut, "buffer") {
			not++
			t.Logf("%v: not compared: graphs %q %v, states %q %q %+v", m, want.GaveUp, want.Counts, got.GaveUp, got.Cut, got.Counts)
			continue
		}
		compared++
		kinds := func(n int, kind func(int) string) string {
			if n == 0 {
				return "none"
			}
			return kind(0)
		}
		gk := kinds(len(got.Errors), func(i int) string { return got.Errors[i].Kind })
		wk := kinds(len(want.Errors), func(i int) string { return want.Errors[i].Kind })
		if gk != wk && gk != "none" && wk != "none" { // each must have the other's error, too
			all, every := g, o
			all.KeepGoing, every.KeepGoing = true, true
			more, _ := explore.Explore(t.Context(), p, all)
			most, _ := Explore(t.Context(), p, every)
			if slices.ContainsFunc(more.Errors, func(e report.Error) bool { return e.Kind == gk }) && slices.ContainsFunc(most.Errors, func(e report.Error) bool { return e.Kind == wk }) {
				gk = wk
			}
		}
		if gk != wk {
			t.Errorf("%v: states says %s, graphs says %s", m, gk, wk)
			for _, e := range got.Errors {
				t.Logf("states: %s at %v", e.Message, e.Location)
			}
			for _, e := range want.Errors {
				t.Logf("graphs: %s at %v", e.Message, e.Location)
			}
		}
		t.Logf("%v: %v, %+v in %v, %s", m, want.Counts, got.Counts, time.Since(start).Round(time.Millisecond), got.Cut)
	}
	return compared, not
}
