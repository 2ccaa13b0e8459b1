package model_test

import (
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/model"
)

// TestShapes counts the executions of the classic shapes under each model. A shape has as many candidates as its reads and
// coherence orders have choices; the model forbids the last one or allows it.
func TestShapes(t *testing.T) {
	const stores = "sc tso"                                // keep stores in order
	const noLoadBuffering = "sc tso pso ra rc11 rc11-2017" // po ∪ rf is acyclic
	for _, shape := range []struct {
		name, prog string
		candidates int64
		forbid     string // the models that forbid one candidate
		why        string
	}{
		{"SB", "x=1; r=y || y=1; s=x", 4, "sc", "stores are delayed past loads everywhere but under sc (Owens et al., TPHOLs'09)"},
		{"MP", "x=1; y=1 || r=y; s=x", 4, stores, "relaxed accesses carry no message under C11, pso and Arm"},
		{"MP+rel+acq", "x=1; y=1.rel || r=y.acq; s=x", 4, "all", "release and acquire carry it under every model"},
		{"LB", "r=x; y=1 || s=y; x=1", 4, noLoadBuffering, "hardware and imm buffer loads (Podkopaev et al., POPL'19)"},
		{"2+2W", "x=1; y=2 || y=1; x=2", 4, stores, "stores to different locations are reordered"},
		{"CoRR", "x=1 || r=x; s=x", 4, "all", "every model is coherent"},
		{"IRIW", "x=1 || y=1 || r=x; s=y || t=y; u=x", 16, "sc tso pso", "loads stay in order, and stores are seen by all at once"},
	} {
		for _, name := range strings.Fields("sc tso pso ra rc11 rc11-2017 imm armv8 armv7 power riscv") {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := shape.candidates
			if shape.forbid == "all" || slices.Contains(strings.Fields(shape.forbid), name) {
				want--
			}
			res, err := explore.Explore(t.Context(), brute.Lower(brute.MustParse(shape.prog)), explore.Options{Options: engine.Options{Workers: 1}, Model: m})
			if err != nil {
				t.Fatal(err)
			}
			if res.Complete != want {
				t.Errorf("%s under %s: %d executions, want %d (%s)", shape.name, name, res.Complete, want, shape.why)
			}
		}
	}
}

// TestRegistry checks that every model says what it is.
func TestRegistry(t *testing.T) {
	for _, name := range model.Names() {
		m, err := model.Get(name, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.Name() != name || len(m.Doc()) < 40 {
			t.Errorf("%s calls itself %s, with the document %q", name, m.Name(), m.Doc())
		}
	}
	if _, err := model.Get("no-such-model", model.Options{}); err == nil {
		t.Error("a model that does not exist was found")
	}
}
