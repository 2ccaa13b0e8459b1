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

var directive = regexp.MustCompile(`(?m)^// (want|flags|unroll): *(.*)$`)

func runProgram(t *testing.T, file, level string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{level}
	want, unroll := "", 0
	for _, d := range directive.FindAllStringSubmatch(string(src), -1) {
		switch d[1] {
		case "want":
			want = d[2]
		case "flags":
			flags = append(flags, strings.Fields(d[2])...)
		case "unroll":
			fmt.Sscan(d[2], &unroll)
		}
	}
	p, err := check.Load([]string{file}, "", flags)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Get("rc11", model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Explore(p, explore.Options{
		Model: m, Machine: machine.Options{SpinAssume: true, Unroll: unroll}, Workers: 1,
		RaceCheck: true, MemoryCheck: true, Timeout: time.Minute,
	})
	if err != nil {
		if kind, text, _ := strings.Cut(want, " "); kind != "unsupported" || !strings.Contains(err.Error(), text) {
			t.Fatalf("want %s, got %v", want, err)
		}
		return
	}
	got := fmt.Sprint("verified ", res.Complete)
	if len(res.Errors) > 0 {
		got = fmt.Sprint(res.Errors[0].Kind, " ", res.Errors[0].Message)
	} else if res.GaveUp != "" {
		got = "gave up: " + res.GaveUp
	}
	t.Logf("%s; %d blocked, %d moot", got, res.Blocked, res.Moot)
	kind, text, _ := strings.Cut(want, " ")
	switch {
	case kind == "verified" && text != "" && got != want,
		!strings.HasPrefix(got, kind+" "), !strings.Contains(got, text):
		t.Errorf("want %s, got %s", want, got)
		for _, e := range res.Errors {
			t.Logf("%s:%d: %s: %s", e.Location.File, e.Location.Line, e.Kind, e.Message)
		}
	}
}
