package jmm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ravel/internal/justify"
	"ravel/internal/litmus"
)

// A StressReport compares what a JVM showed with what a model allows.
type StressReport struct {
	Name     string    `json:"name"`
	Model    string    `json:"model"`
	Java     string    `json:"java"`
	Samples  int64     `json:"samples"`
	Outcomes []Sampled `json:"outcomes"`
	Warnings []string  `json:"warnings,omitempty"`
	Seconds  float64   `json:"seconds"`
}

// A Sampled is an outcome that is allowed, or was seen, or both.
type Sampled struct {
	State   string `json:"state"`
	Allowed bool   `json:"allowed"`
	Seen    int64  `json:"seen"`
}

// Harness returns the Java program that Stress runs.
func Harness(test *litmus.Test) (string, error) { return harness(test, justify.Observed(test)) }

// Stress compiles and runs the test with the JDK on PATH for so many seconds.
func Stress(ctx context.Context, test *litmus.Test, opts justify.Options, seconds float64) (*StressReport, error) {
	start := time.Now()
	javac, err := findJDK("javac", "stress", 11)
	if err != nil {
		return nil, err
	}
	java, err := findJDK("java", "stress", 11)
	if err != nil {
		return nil, err
	}
	a, err := justify.Analyse(test, opts)
	if err != nil {
		return nil, err
	}
	code, err := harness(test, a.Locs)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ravel-stress-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "Stress.java")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		return nil, err
	}
	if _, err := run(ctx, javac, "-nowarn", "-d", dir, file); err != nil {
		return nil, fmt.Errorf("%s: javac refuses the program (--emit shows it): %w", test.File, err)
	}
	out, err := run(ctx, java, "-cp", dir, "-Xmx512m", "Stress", fmt.Sprint(seconds))
	if err != nil {
		return nil, fmt.Errorf("%s: the program fails (--emit shows it): %w", test.File, err)
	}
	version, err := run(ctx, java, "-version")
	if err != nil {
		return nil, err
	}
	r := &StressReport{Name: test.Name, Model: a.Model, Java: strings.TrimSpace(strings.SplitN(version, "\n", 2)[0])}
	if a.Bounded || a.GaveUp != "" {
		r.Warnings = append(r.Warnings, "the model was not decided completely: an outcome that is called forbidden may be allowed")
	}
	if err := r.compare(a, out); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// findJDK returns the path of a program of the JDK; command is what needs it, and from which version on.
func findJDK(name, command string, version int) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("cannot find %s on PATH: %s needs a JDK, %d or later (Debian: default-jdk-headless)", name, command, version)
	}
	return path, nil
}

// run returns what a program prints; the error has the first lines of its messages.
func run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		lines := strings.SplitN(strings.TrimSpace(msg.String()), "\n", 6)
		return "", fmt.Errorf("%w\n\t%s", err, strings.Join(lines[:min(5, len(lines))], "\n\t"))
	}
	if out.Len() == 0 { // java -version
		return msg.String(), nil
	}
	return out.String(), nil
}

// compare reads the histogram.
func (r *StressReport) compare(a *justify.Analysis, out string) error {
	seen := map[string]int64{}
	var states [][]uint64
	for sc := bufio.NewScanner(strings.NewReader(out)); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil || len(fields) != 1+len(a.Locs) {
			return fmt.Errorf("the program prints %q", sc.Text())
		}
		vals := make([]uint64, len(a.Locs))
		for i, f := range fields[1:] {
			v, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				return fmt.Errorf("the program prints %q", sc.Text())
			}
			vals[i] = uint64(v)
		}
		r.Samples += n
		seen[a.State(vals)] = n
		states = append(states, vals)
	}
	if r.Samples == 0 {
		return errors.New("the program prints no outcomes")
	}
	listed := map[string]bool{}
	add := func(vals []uint64, allowed bool) {
		s := a.State(vals)
		if !listed[s] {
			listed[s] = true
			r.Outcomes = append(r.Outcomes, Sampled{s, allowed, seen[s]})
		}
	}
	for _, o := range a.Outcomes {
		add(o.Values, true)
	}
	for _, vals := range states {
		w, err := a.AllowsState(vals)
		if err != nil {
			return err
		}
		add(vals, w)
	}
	slices.SortStableFunc(r.Outcomes, func(x, y Sampled) int { return strings.Compare(x.State, y.State) })
	return nil
}

// Status is 1 if the JVM showed what the model forbids.
func (r *StressReport) Status() int {
	for _, o := range r.Outcomes {
		if o.Seen > 0 && !o.Allowed {
			return 1
		}
	}
	return 0
}

// WriteText prints r as a table.
func (r *StressReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Stress %s: %d samples, %s, model %s\n", r.Name, r.Samples, r.Java, r.Model)
	for _, o := range r.Outcomes {
		verdict := "allowed, not seen"
		switch {
		case o.Seen > 0 && o.Allowed:
			verdict = "allowed, seen"
		case o.Seen > 0:
			verdict = "FORBIDDEN, SEEN"
		}
		fmt.Fprintf(&b, "%12d  %-17s  %s\n", o.Seen, verdict, o.State)
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(&b, "Warning:", x)
	}
	if r.Status() != 0 {
		fmt.Fprintf(&b, "The JVM shows what %s forbids.\n", r.Model)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
