package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAwayFlags gives flags of long runs that do not go together.
func TestAwayFlags(t *testing.T) {
	dir := t.TempDir()
	right := filepath.Join(dir, "right.ll")
	if err := os.WriteFile(right, []byte(rightLL), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"check --cluster somewhere " + right, "it takes the address of a NATS server"},
		{"check --cluster nats://127.0.0.1:1 " + right, "ravel cluster serve starts one"},
		{"check --cluster nats://127.0.0.1:1 --checkpoint " + dir + "/a " + right, "give one of them"},
		{"check --cluster nats://127.0.0.1:1 --engine states " + right, "--cluster is for --engine graphs"},
		{"check --checkpoint " + dir + "/a --engine states --metrics :0 " + right, "are for --engine graphs"},
		{"check --checkpoint " + dir + "/a --engine states --model sc --states-aut x.aut " + right, "is for one process"},
		{"check --checkpoint " + dir + "/a --print-executions " + right, "is for one process"},
		{"check --checkpoint " + dir + "/a --model sc,tso " + right, "one model at a time"},
		{"check --nkey k " + right, "--nkey is for --cluster"},
		{"check --metrics :0 " + right, "--metrics is for --checkpoint"},
		{"check --checkpoint " + dir + "/a --log-level loud " + right, "--log-level loud: it takes debug or info or warn or error"},
		{"check --checkpoint " + dir + "/a --log-format xml " + right, "--log-format xml: it takes text or json"},
		{"check --resume " + dir + "/none", "there is nothing to go on with"},
		{"check --resume " + dir + "/none " + right, "no files and no compiler flags"},
		{"check --resume " + dir + "/none --model tso", "--model can't be given again"},
		{"worker", "which server?"},
		{"worker --cluster nats://127.0.0.1:1", "no servers available"},
		{"cluster serve --addr nowhere", "it takes host:port"},
		{"cluster serve --config " + right, "--config"},
		{"status " + dir + "/none", "there is no run"},
	} {
		status, out, errs := runRavel(t, strings.Fields(test.args)...)
		if status != statusUsage || !strings.Contains(errs, test.want) {
			t.Errorf("ravel %s: status %d, want %q\n%s%s", test.args, status, test.want, out, errs)
		}
	}
}

// TestCheckpointSmall checks a program that is too small to keep anything of it.
func TestCheckpointSmall(t *testing.T) {
	dir := t.TempDir()
	file, kept := filepath.Join(dir, "wrong.ll"), filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(wrongLL), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := runRavel(t, "check", "--checkpoint", kept, file); status != 1 || !strings.Contains(out, "error: 1 error") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if status, _, errs := runRavel(t, "check", "--resume", kept); status != statusUsage || !strings.Contains(errs, "nothing to go on with") {
		t.Errorf("resume: status %d\n%s", status, errs)
	}
	if status, out, errs := runRavel(t, "check", "--checkpoint", kept, file); status != 1 {
		t.Errorf("again: status %d\n%s%s", status, out, errs)
	}
}

// TestCheckpointOfStates checks small programs with the engine of states: the folder of a run that has ended can be used again, and one of another
// build, of another program or of the other engine is refused.
func TestCheckpointOfStates(t *testing.T) {
	dir := t.TempDir()
	file, kept := filepath.Join(dir, "wrong.ll"), filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(wrongLL), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if status, out, errs := runRavel(t, "check", "--engine", "states", "--checkpoint", kept, file); status != 1 || !strings.Contains(out, "error: 1 error") {
			t.Errorf("status %d\n%s%s", status, out, errs)
		}
		if status, _, errs := runRavel(t, "check", "--resume", kept); status != statusUsage || !strings.Contains(errs, "the run has ended") {
			t.Errorf("resume: status %d\n%s", status, errs)
		}
	}
	if status, _, errs := runRavel(t, "check", "--checkpoint", kept, file); status != statusUsage || !strings.Contains(errs, "a run of --engine states") {
		t.Errorf("graphs: status %d\n%s", status, errs)
	}
	run := filepath.Join(kept, "states.json")
	for _, test := range []struct{ old, new, want string }{
		{`"Ended": true`, `"Ended": false`, "program.ir"},
		{`"Build": "`, `"Build": "x`, "another version of ravel"},
	} {
		data, err := os.ReadFile(run)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(run, []byte(strings.Replace(string(data), test.old, test.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(kept, "program.ir"), []byte("another"), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := runRavel(t, "check", "--resume", kept); status != statusUsage || !strings.Contains(errs, test.want) {
			t.Errorf("%s: status %d\n%s", test.new, status, errs)
		}
	}
	if status, _, errs := runRavel(t, "check", "--engine", "states", "--checkpoint", kept, file); status != statusUsage || !strings.Contains(errs, "there is a run already") {
		t.Errorf("begin again: status %d\n%s", status, errs)
	}
}
