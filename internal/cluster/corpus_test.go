package cluster

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/piecetest"
	"ravel/internal/explore/xmm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var corpusShare = flag.Int("corpus-share", 12, "explore one of so many programs of the corpus in pieces")

// TestPiecesCorpus explores programs of the corpus in pieces: threads that start threads, layouts that become finer, loops that wait, barriers,
// reused memory, weak compare-and-swaps. Programs that take longer than half a second in one piece are left out.
func TestPiecesCorpus(t *testing.T) {
	needClang(t)
	again, tried := 0, 0
	for i, c := range corpusOf(t) {
		if i%*corpusShare != 0 {
			continue
		}
		opts := explore.Options{Model: c.model, Twins: true, Options: engine.Options{Workers: 1, Symmetry: true, RaceCheck: c.races, MemoryCheck: true, KeepGoing: true, Timeout: time.Second / 2, Machine: machine.Options{SpinAssume: true, Unroll: c.unroll}}}
		if c.model.Traits().Reexecutes {
			xmm.Use(&opts, nil)
		}
		p := c.load()
		if p == nil {
			continue // a flag that is not known here
		}
		want, err := explore.Explore(t.Context(), p, opts)
		if err != nil || want.GaveUp != "" {
			continue
		}
		tried++
		opts.Timeout = 0
		seed := fnv.New64()
		seed.Write([]byte(c.name))
		got, generations, err := piecetest.Explore(t.Context(), p, opts, rand.New(rand.NewPCG(seed.Sum64(), 1)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if generations > 1 {
			again++
		}
		if diff := differences(got, want); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	t.Logf("%d programs, %d began again", tried, again)
}

// A corpusCase is a program of the corpus under a model.
type corpusCase struct {
	name, file string
	flags      []string // of the compiler
	model      model.Model
	races      bool
	unroll     int
}

// load returns the program, nil if it can't be loaded without the flags of its row.
func (c *corpusCase) load() *ir.Program {
	p, err := check.Load([]string{c.file}, "", c.flags)
	if err != nil {
		return nil
	}
	return p
}

// corpusOf lists the programs of the corpus, each with one of several models.
func corpusOf(t *testing.T) (cases []*corpusCase) {
	models := []string{"rc11", "rc11", "sc", "imm", "tso", "armv8", "xmm", "ra", "rc11"}
	for _, dir := range []string{"c/ok", "c/waits", "c/structures", "c/structures/wrong", "c/errors", "c/litmus", "c/suites", "c/undefined", "c/bench", "c/xmm", "cxx"} {
		dir = filepath.Join("../../testdata", dir)
		data, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(l string) bool { return l == "" || l[0] == '#' })
		header := strings.Split(lines[0], "\t")
		for _, line := range lines[1:] {
			fields := strings.Split(line, "\t")
			column := func(name string) string {
				if i := slices.Index(header, name); i >= 0 && i < len(fields) {
					return fields[i]
				}
				return ""
			}
			own, compiler, _ := strings.Cut(column("flags")+" ", "-- ")
			c := &corpusCase{file: filepath.Join(dir, column("file")), flags: strings.Fields(compiler), races: !strings.Contains(own, "no-race-check")}
			if strings.Contains(own, "--unroll") {
				c.unroll = 3
			}
			c.model, err = model.Get(models[len(cases)%len(models)], model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.name = fmt.Sprintf("%s %q under %s", c.file, c.flags, c.model.Name())
			cases = append(cases, c)
		}
	}
	return cases
}
