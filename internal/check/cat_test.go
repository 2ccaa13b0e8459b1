package check

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var (
	catModels = flag.String("cat-models", "rc11", "models to compare with their twins in cat on the data structures")
	catTime   = flag.Bool("cat-time", false, "measure the CPU time of models in cat on the data structures")
)

// TestCatStructures explores the data structures under a model and its twin in cat: they have the same executions.
func TestCatStructures(t *testing.T) {
	needClang(t)
	dir := filepath.Join(corpus, "c/structures")
	total := map[string][2]time.Duration{}
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		opts := explore.Options{Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, AllRounds: true}
		flags, err := parseFlags(r["flags"], &opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Load([]string{filepath.Join(dir, r["file"])}, "", flags)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Split(*catModels, ",") {
			if opts.Model != nil {
				name = opts.Model.Name() // of the row
			}
			native, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			title := strings.Join(strings.Fields(r["file"]+" "+r["flags"]), " ") + " under " + name
			cat := catTwin(t, name)
			opts.RaceCheck = cat.Traits().Races.ByView // or else the native model finds more
			a := exploreUnder(t, p, opts, native)
			b := exploreUnder(t, p, opts, cat)
			if a.found != b.found {
				t.Errorf("%s: %s, in cat %s", title, a.found, b.found)
			}
			sum := total[name]
			total[name] = [2]time.Duration{sum[0] + a.cpu, sum[1] + b.cpu}
			if *catTime {
				fmt.Printf("%6.1f ms %6.1f ms %5.2f %s\n", ms(a.cpu), ms(b.cpu), float64(b.cpu)/float64(a.cpu), title)
			}
		}
	}
	if *catTime {
		for name, sum := range total {
			fmt.Printf("%6.1f ms %6.1f ms %5.2f all under %s\n", ms(sum[0]), ms(sum[1]), float64(sum[1])/float64(sum[0]), name)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func catTwin(t *testing.T, name string) model.Model {
	t.Helper()
	c, err := catmodel.Embedded(name, catmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Explorer()
}

type explored struct {
	found string
	cpu   time.Duration
}

// exploreUnder explores p. With -cat-time it does so until the time can be measured.
func exploreUnder(t *testing.T, p *ir.Program, opts explore.Options, m model.Model) (out explored) {
	t.Helper()
	opts.Model = m
	runs, start := 0, cpuTime()
	for runs == 0 || *catTime && cpuTime()-start < 300*time.Millisecond {
		res, err := explore.Explore(t.Context(), p, opts)
		if err != nil {
			t.Fatal(err)
		}
		out.found = fmt.Sprintf("%+v", res.Counts)
		for _, e := range res.Errors {
			out.found = "error: " + e.Kind // when it is found depends on the order
		}
		runs++
	}
	out.cpu = (cpuTime() - start) / time.Duration(runs)
	return out
}

// cpuTime is the time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCatErrors checks the programs that are wrong, and the right ones beside them, under rc11 in cat: it finds the same errors.
func TestCatErrors(t *testing.T) {
	needClang(t)
	for _, sub := range []string{"c/errors", "c/ok"} {
		dir := filepath.Join(corpus, sub)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			opts := explore.Options{Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
			flags, err := parseFlags(r["flags"], &opts)
			if err != nil {
				t.Fatal(err)
			}
			if opts.Model != nil || r["model"] != "" || opts.Observed || r["verdict"] == "unsupported" {
				continue
			}
			t.Run(strings.TrimSpace(r["file"]+" "+r["flags"]), func(t *testing.T) {
				t.Parallel()
				opts.Model = catTwin(t, "rc11")
				config := Config{Files: []string{filepath.Join(dir, r["file"])}, CompilerFlags: flags, Explore: opts}
				res, err := Run(config)
				if err != nil {
					t.Fatal(err)
				}
				verdict := r["verdict"]
				if verdict == "" {
					verdict = "error"
				}
				if string(res.Verdict) != verdict {
					t.Fatalf("verdict %s, want %s (%s)\n%v", res.Verdict, verdict, r["note"], res.Errors)
				}
				if r["complete"] != "" { // models in cat count all rounds
					config.Explore.AllRounds = true
					if config.Explore.Model, err = model.Get("rc11", model.Options{}); err != nil {
						t.Fatal(err)
					}
					native, err := Run(config)
					if err != nil {
						t.Fatal(err)
					}
					expectCount(t, "complete", res.Executions.Complete, fmt.Sprint(native.Executions.Complete), r["note"])
				}
				if verdict == "error" {
					expectError(t, res.Errors[0], r)
				}
			})
		}
	}
}
