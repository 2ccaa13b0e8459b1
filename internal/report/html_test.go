package report

import (
	"bytes"
	"regexp"
	"testing"
)

func TestHTML(t *testing.T) {
	all := storeBuffering()
	all.File = "<all>&.c"
	all.Errors = append(all.Errors, treiber().Errors...)
	all.Errors = append(all.Errors, Error{Kind: "leak", Message: "<script>alert(1)</script>", Location: Location{File: "<x>.c", Line: 3}})
	for name, r := range map[string]*Result{
		"mp.html":       messagePassing(),
		"all.html":      all,
		"verified.html": {Verdict: Verified, Model: "tso", Engine: "states", File: "q.c", States: States{12, 34}, Version: "1", Seconds: 2},
	} {
		got := render(t, func(b *bytes.Buffer) error { return WriteHTML(b, r, testOptions(0)) })
		golden(t, name, got)
		if bytes.Contains(got, []byte("<script")) {
			t.Errorf("%s: a message becomes a script", name)
		}
		if m := regexp.MustCompile(`(?:src|href)="[^#]|url\([^#]|@import`).Find(got); m != nil {
			t.Errorf("%s: needs something else: %s", name, m)
		}
	}
}
