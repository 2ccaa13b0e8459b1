package xmm

import (
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestNovelThread has a thread that is created only because of a cycle: such executions are not explored, and the verdict says so.
func TestNovelThread(t *testing.T) {
	m, err := model.Get(model.XMM, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for prog, want := range map[string]bool{
		"e=1 || q=e; if(q==0){f=1; p=c; k=1} else {p=c; if(p==1){START(3)}} || b=f; h=k; if(b==0){b=z}; if(b==1){c=1} || z=1": true,
		"e=1 || q=e; if(q==0){f=1; p=c; k=1} else {p=c; if(p==1){z=1}} || b=f; h=k; if(b==0){b=z}; if(b==1){c=1}":             false,
	} {
		opts := explore.Options{Model: m, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
		Use(&opts, nil)
		res, err := explore.Explore(t.Context(), brute.Lower(brute.MustParse(prog)), opts)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Cut != ""; got != want {
			t.Errorf("%s: %v, want %v", prog, got, want)
		}
	}
}
