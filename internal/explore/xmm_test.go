package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
)

const xmmModel brute.Model = "xmm"

func xmmDiff(t *testing.T, p *brute.Prog) string {
	want := map[string]bool{}
	for _, x := range brute.XMM(p) {
		want[x.Key()] = true
	}
	var diff strings.Builder
	seen := map[string]bool{}
	for _, k := range explored(t, p, xmmModel, 1, false) {
		switch {
		case seen[k]:
			fmt.Fprintf(&diff, "twice:\n%s\n", k)
		case !want[k]:
			fmt.Fprintf(&diff, "extra:\n%s\n", k)
		}
		seen[k] = true
	}
	for k := range want {
		if !seen[k] {
			fmt.Fprintf(&diff, "missing:\n%s\n", k)
		}
	}
	return diff.String()
}

func TestXMMRandom(t *testing.T) {
	for i := range *programs {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 6)), brute.Config{Deps: true, Threads: 3, PerThread: 3, Total: 6})
		if diff := xmmDiff(t, p); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

func TestXMMFound(t *testing.T) {
	for _, prog := range []string{"a=x; y=1 || b=y; x=1"} {
		if diff := xmmDiff(t, brute.MustParse(prog)); diff != "" {
			t.Errorf("%s:\n%s", prog, diff)
		}
	}
}
