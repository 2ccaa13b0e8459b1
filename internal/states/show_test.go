package states

import (
	"os"
	"testing"

	"ravel/internal/report"
)

func TestShow(t *testing.T) {
	f := os.Getenv("SHOW")
	if f == "" {
		t.Skip()
	}
	var flags []string
	if x := os.Getenv("FLAGS"); x != "" {
		flags = append(flags, "-mcx16", x)
	}
	p := loadC(t, f, flags...)
	m, _ := ModelByName(os.Getenv("MODEL"))
	res, err := Explore(p, Options{Model: m, MemoryCheck: true, Liveness: os.Getenv("LIVE") != "", RaceCheck: os.Getenv("RACE") != "", POR: os.Getenv("POR") != ""})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v %+v %s %s", res.Counts, res.Memory, res.Cut, res.GaveUp)
	r := &report.Result{Verdict: report.Wrong, Model: m.String(), Engine: "states", Errors: res.Errors}
	report.WriteText(os.Stdout, r, report.Options{})
}
