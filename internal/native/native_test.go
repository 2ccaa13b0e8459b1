package native

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var keep = flag.String("keep", "", "a folder for the programs that differ")

// ravel is the program that is tested.
var ravel string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run()) // every test is skipped
	}
	dir, err := os.MkdirTemp("", "ravel-native")
	if err != nil {
		panic(err)
	}
	ravel = filepath.Join(dir, "ravel")
	if out, err := exec.Command("go", "build", "-o", ravel, "ravel/cmd/ravel").CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needTools skips a test if one of the programs it needs is missing, and under -short.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles and runs native programs")
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

// An outcome is what a program printed and how it ended.
type outcome struct {
	out  string // both streams
	code int    // its exit status, -1 if a signal ended it
	late bool   // it took too long
}

// run runs a program in a folder.
func run(t *testing.T, dir string, limit time.Duration, name string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	o := outcome{out: string(out), late: ctx.Err() != nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.code = exit.ExitCode()
	case err != nil && !o.late:
		t.Fatalf("%s: %v", name, err)
	}
	return o
}

// A verdict is what ravel says about a program.
type verdict struct {
	Verdict string
	Errors  []struct {
		Kind, Message string
		Location      struct{ Line int }
	}
}

// check runs ravel on a file. What it prints is returned too.
func check(t *testing.T, dir, file string, flags, compiler []string) (verdict, outcome) {
	t.Helper()
	args := append([]string{"check", "--json", "--timeout", "60s", "--workers", "1"}, flags...)
	args = append(append(args, file, "--", "-w"), compiler...)
	o := run(t, dir, 2*time.Minute, ravel, args...)
	var v verdict
	if i := strings.IndexByte(o.out, '{'); i >= 0 {
		if err := json.NewDecoder(strings.NewReader(o.out[i:])).Decode(&v); err != nil {
			t.Fatalf("%v\n%s", err, o.out)
		}
	}
	return v, o
}

// kinds are the kinds of errors of a verdict, with their messages.
func (v verdict) String() string {
	s := v.Verdict
	for _, e := range v.Errors {
		s += "; " + e.Kind + ": " + e.Message
	}
	return s
}

// write puts a program into a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// save keeps a program that differs.
func save(t *testing.T, name, text string) {
	t.Helper()
	if *keep != "" {
		if err := os.MkdirAll(*keep, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, *keep, name, text)
	}
}
