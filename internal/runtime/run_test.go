package rt_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ravel/internal/check"
	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var optimise = flag.String("opt", "", "compile the programs of testdata with this -O level only")

// TestPrograms runs every program of testdata. The first lines of a program say what must come out:
//
//	// want: verified 2          the number of complete executions under rc11 (none: any)
//	// want: deadlock this text  an error of this kind, whose message contains the text
//	// flags: -std=c++20
//	// pending: why           the program may fail until then
//
// Programs are compiled at -O0 and -O1: the outcome must not depend on it.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH")
	}
	files, err := filepath.Glob("testdata/*.c*")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs:", err)
	}
	for _, file := range files {
		for _, level := range []string{"-O0", "-O1"} {
			if *optimise != "" && *optimise != level {
				continue
			}
			t.Run(filepath.Base(file)+level, func(t *testing.T) {
				t.Parallel()
				runProgram(t, file, level)
			})
		}
	}
}

var directive = regexp.MustCompile(`(?m)^// (want|flags|pending): *(.*)$`)

func runProgram(t *testing.T, file, level string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{level}
	want, pending := "", ""
	for _, d := range directive.FindAllStringSubmatch(string(src), -1) {
		switch d[1] {
		case "want":
			want = d[2]
		case "flags":
			flags = append(flags, strings.Fields(d[2])...)
		case "pending":
			pending = d[2]
		}
	}
	got, blocked := outcome(t, file, flags)
	t.Log(got, blocked)
	kind, text, _ := strings.Cut(want, " ")
	if kind == "verified" && text != "" && got == want || strings.HasPrefix(got, kind+" ") && strings.Contains(got, text) {
		return
	}
	if pending != "" {
		t.Skipf("want %s, got %s: waits for %s", want, got, pending)
	}
	t.Errorf("want %s, got %s", want, got)
}

// outcome explores a program and returns what comes out in the form of a want line, and the
// numbers of other executions.
func outcome(t *testing.T, file string, flags []string) (got, blocked string) {
	p, err := check.Load([]string{file}, "", flags)
	if err != nil {
		return "refused " + err.Error(), ""
	}
	m, err := model.Get("rc11", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Explore(p, explore.Options{
		Model: m, Machine: machine.Options{SpinAssume: true}, Workers: 1,
		RaceCheck: true, MemoryCheck: true, Timeout: time.Minute,
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
