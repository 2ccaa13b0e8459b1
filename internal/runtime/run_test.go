package rt_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/short"
)

// TestPrograms runs every program of testdata. The first lines of a program say what must come out:
//
//	// want: verified 2          the number of complete executions under rc11 (none: any)
//	// want: deadlock this text  an error of this kind, whose message contains the text
//	// flags: -std=c++20         for the compiler
//	// model: sc rc11            explored under these models
//	// pending: what             the program may fail until ravel has that
//
// Programs are compiled at -O0 and -O1, and explored under several models: the outcome must not
// depend on it, because what they share is locked.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH")
	}
	files, err := filepath.Glob("testdata/*.c*")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs:", err)
	}
	for _, file := range short.Every(16, files) {
		for _, level := range short.Every(2, []string{"-O1", "-O0"}) {
			t.Run(filepath.Base(file)+level, func(t *testing.T) {
				t.Parallel()
				runProgram(t, file, level)
			})
		}
	}
}

var directive = regexp.MustCompile(`(?m)^// (want|flags|pending|model): *(.*)$`)

func runProgram(t *testing.T, file, level string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{level}
	want, pending := "", ""
	models := []string{"rc11", "sc", "tso", "pso", "ra"}
	for _, d := range directive.FindAllStringSubmatch(string(src), -1) {
		switch d[1] {
		case "want":
			want = d[2]
		case "flags":
			flags = append(flags, strings.Fields(d[2])...)
		case "pending":
			pending = d[2]
		case "model":
			models = strings.Fields(d[2])
		}
	}
	p, err := check.Load([]string{file}, "", flags)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		got, blocked := outcome(t, p, m)
		t.Log(m, got, blocked)
		kind, text, _ := strings.Cut(want, " ")
		if kind == "verified" && text != "" && got == want || strings.HasPrefix(got, kind+" ") && strings.Contains(got, text) {
			continue
		}
		if pending != "" {
			t.Skipf("%s: want %s, got %s: waits for %s", m, want, got, pending)
		}
		t.Errorf("%s: want %s, got %s", m, want, got)
	}
}

// outcome explores a program and returns what comes out in the form of a want line, and the
// numbers of other executions.
func outcome(t *testing.T, p *ir.Program, name string) (got, blocked string) {
	m, err := model.Get(name, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Explore(t.Context(), p, explore.Options{
		Model: m, Options: engine.Options{Machine: machine.Options{SpinAssume: true}, Workers: 1, RaceCheck: true, MemoryCheck: true, Timeout: time.Minute},
	})
	switch {
	case err != nil:
		return "unsupported " + err.Error(), ""
	case len(res.Errors) > 0:
		e := res.Errors[0]
		got = fmt.Sprintf("%s %s (%s:%d)", e.Kind, e.Message, filepath.Base(e.Location.File), e.Location.Line)
	case res.GaveUp != "":
		got = "unknown " + res.GaveUp
	default:
		got = fmt.Sprint("verified ", res.Complete)
	}
	return got, fmt.Sprintf("(%d blocked, %d moot)", res.Blocked, res.Moot)
}
