package herd

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
)

var (
	only   = flag.String("only", "", "run the tests of the corpus whose name contains this")
	timing = flag.Bool("timing", false, "also hold the tests of the corpus to herd7's time")
)

// corpus is the litmus data of the field: 2,525 tests, with the verdicts, observations and numbers of states of
// herd7, or, where those columns are empty, the verdict of Dartagnan.
const corpus = "../../../shared/litmus"

type row struct {
	file, scope, model, holds, observation string
	positive, negative, states             int // -1: not known
	seconds                                float64
	flags                                  string
}

func corpusRows(t testing.TB) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, "expected.tsv"))
	if err != nil {
		t.Skipf("the litmus data is not here: %v", err)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return -1
		}
		return n
	}
	var rows []row
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) != 10 || !strings.Contains(f[0], *only) {
			continue
		}
		seconds, _ := strconv.ParseFloat(f[8], 64)
		rows = append(rows, row{f[0], f[1], f[2], f[3], f[4], number(f[5]), number(f[6]), number(f[7]), seconds, f[9]})
	}
	return rows
}

// ourModel is the model that a row's name stands for. herd's rc11.cat has the release sequences of the
// paper of 2017, in which rseq_weak and rseq_weak2 have no race. Models in cat that tests bring with them
// are in testdata, in our words: they forbid what the rows that use them say.
func ourModel(name string) string {
	switch {
	case name == "rc11":
		return "rc11-2017"
	case name == "armv8-aarch32":
		return "armv8"
	case strings.HasSuffix(name, ".cat"):
		return "testdata/" + name
	}
	return name
}

// coreNeeds are files that the data calls core though they need a feature of the system level: STZG, an address with a
// tag that memory does not have; an instruction that is stored over another one.
var coreNeeds = map[string]string{
	"AArch64/LDR-STZG1.litmus": "memory tagging",
	"AArch64/S23.litmus":       "self-modifying code (instructions as data)",
}

// TestCorpus runs the data: every core test has the listed verdict, observation, number of states and flags, and every
// system test is refused by the name of a feature, or, where nothing in it is of the system level, is right too.
//
// Numbers of executions are not compared: herd counts those of a failed compare-and-swap of AArch64
// twice, with and without the write of the old value, which changes nothing else (13 tests).
func TestCorpus(t *testing.T) {
	rows := corpusRows(t)
	byModel := map[string][]row{}
	for _, r := range rows {
		m := ourModel(r.model)
		byModel[m] = append(byModel[m], r)
	}
	ran, refused, counts := 0, 0, 0
	var ours, theirs float64
	for model, rows := range byModel {
		var files []string
		for _, r := range rows {
			files = append(files, filepath.Join(corpus, r.file))
		}
		i := 0
		err := Run(t.Context(), Files(files...), Config{Model: model, Workers: 1}, func(e *Entry) error {
			r := rows[i]
			i++
			if e.Err != nil {
				refused++
				checkRefused(t, r, e.Err)
				return nil
			}
			ran++
			compare(t, r, e)
			if r.positive >= 0 {
				ours, theirs = ours+e.Seconds, theirs+r.seconds
				if e.Result.Positive != r.positive || e.Result.Negative != r.negative {
					counts++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d tests run, %d refused; %d with other numbers of executions; %.2f s of CPU, herd7 %.2f s", ran, refused, counts, ours, theirs)
	if *timing && ours > theirs/20 {
		t.Errorf("%.2f s in all, more than a twentieth of herd7's %.2f s", ours, theirs)
	}
}

func compare(t *testing.T, r row, e *Entry) {
	t.Helper()
	res := e.Result
	var wrong []string
	if holds := map[bool]string{true: "yes", false: "no"}[res.Holds()]; holds != r.holds {
		wrong = append(wrong, fmt.Sprintf("holds %s, want %s", holds, r.holds))
	}
	if r.observation != "" && res.Observation() != r.observation {
		wrong = append(wrong, fmt.Sprintf("%s, want %s", res.Observation(), r.observation))
	}
	if r.states >= 0 && len(res.States) != r.states {
		wrong = append(wrong, fmt.Sprintf("%d states, want %d", len(res.States), r.states))
	}
	if flags := flagsOf(res); r.observation != "" && r.scope == "core" && flags != r.flags && !strings.HasPrefix(r.flags, "Shareability-argument") {
		wrong = append(wrong, fmt.Sprintf("flags %q, want %q", flags, r.flags))
	}
	if *timing && r.seconds > 0 && e.Seconds > r.seconds {
		wrong = append(wrong, fmt.Sprintf("%.3f s, herd7 %.3f s", e.Seconds, r.seconds))
	}
	if len(wrong) > 0 {
		t.Errorf("%s under %s: %s", r.file, res.Model, strings.Join(wrong, "; "))
	}
}

// flagsOf returns the flags of a result as in the data. One flag that herd raises says that DMB ISH is no longer the way to
// write DMB in AArch32.
func flagsOf(r *enumerate.Result) string {
	flags := r.Flags
	if r.Undefined {
		flags = append(slices.Clone(flags), "*undef*")
	}
	return strings.Join(flags, ",")
}

func checkRefused(t *testing.T, r row, err error) {
	t.Helper()
	var e *litmus.Error
	switch {
	case !errors.As(err, &e) || e.Feature == "":
		t.Errorf("%s: %v", r.file, err)
	case r.scope == "core" && coreNeeds[r.file] != e.Feature:
		t.Errorf("core: %v", err)
	}
}
