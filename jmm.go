package ravel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/jmm"
	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/internal/smt"
)

// JMMOptions choose a memory model of Java.
type JMMOptions struct {
	Model    string        // "" is jls04; or jam21, jam19, a FILE.cat; one that defines so, sw and hb gets causality rules
	Rules    string        // of causality: jls (17.4.8), as (Aspinall and Ševčík), hb (none); "" is jls where the model has hb
	Identity string        // when actions of two executions are the same: index, which is the default, or free
	Unroll   int           // how often a loop may go round; without it a loop is an error
	Solver   string        // a program, z3 or cvc5; "" is the embedded one
	Timeout  time.Duration // of each test; 0 is none
}

// What is known of a test in Java: the outcomes that a model allows, those of its translation for a processor, and those that the JVM shows.
type (
	JMMReport        = jmm.Report
	JMMCompileReport = jmm.CompileReport
	JMMStressReport  = jmm.StressReport
)

// JMMTargets lists the processors that JMMCompile has compilation schemes for.
func JMMTargets() []string { return jmm.Targets() }

// JMMCheck decides which outcomes of a litmus test in Java a model allows.
func JMMCheck(ctx context.Context, s Source, o JMMOptions) (*JMMReport, error) {
	t, opts, err := o.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return jmm.Check(t, opts)
}

// JMMSchemes lists the further compilation schemes that JMMCompile knows by name.
func JMMSchemes() []string { return jmm.Schemes() }

// A JMMScheme says what Java's methods become on a processor.
type JMMScheme = jmm.Scheme

// LoadJMMScheme returns a compilation scheme: one of JMMTargets, which is the usual one of the processor, one of JMMSchemes, or that of a file.
func LoadJMMScheme(name string) (*JMMScheme, error) { return jmm.LoadScheme(name) }

// JMMCompile asks whether a compilation scheme shows more outcomes than a model allows.
func JMMCompile(ctx context.Context, s Source, scheme *JMMScheme, o JMMOptions) (*JMMCompileReport, error) {
	t, opts, err := o.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	return jmm.Compile(ctx, t, scheme, opts)
}

// JMMEmit returns a test as a scheme compiles it, in herd's format.
func JMMEmit(s Source, scheme *JMMScheme) (string, error) {
	t, err := s.litmus()
	if err != nil {
		return "", err
	}
	return jmm.Emit(t, scheme)
}

// A JMMSearch is what the search for a test on which a scheme fails came to.
type JMMSearch = jmm.Search

// JMMFindUnsound looks for a test on which a compilation scheme shows more outcomes than a model allows, from cycles of up to n edges.
func JMMFindUnsound(ctx context.Context, scheme *JMMScheme, n int, o JMMOptions) (*JMMSearch, error) {
	opts, err := o.options(ctx)
	if err != nil {
		return nil, err
	}
	return jmm.FindUnsound(ctx, scheme, opts, n)
}

// JMMStress runs a test on the JDK on PATH for some seconds and compares the outcomes with those that a model allows.
func JMMStress(ctx context.Context, s Source, seconds float64, o JMMOptions) (*JMMStressReport, error) {
	if seconds <= 0 {
		return nil, errors.New("--seconds is positive")
	}
	t, opts, err := o.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return jmm.Stress(ctx, t, opts, seconds)
}

// JMMJIT has the JVM on PATH compile a test, and asks whether the machine code shows more outcomes than a model allows.
func JMMJIT(ctx context.Context, s Source, o JMMOptions) (*JMMCompileReport, error) {
	t, opts, err := o.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return jmm.JIT(ctx, t, opts)
}

// JMMHarness returns the Java program that JMMStress runs.
func JMMHarness(s Source) (string, error) {
	t, err := s.litmus()
	if err != nil {
		return "", err
	}
	return jmm.Harness(t)
}

// JCStress returns a test class for jcstress, with the outcomes that a model allows.
func JCStress(ctx context.Context, s Source, o JMMOptions) (string, error) {
	t, opts, err := o.prepare(ctx, s)
	if err != nil {
		return "", err
	}
	a, err := justify.Analyse(t, opts)
	if err != nil {
		return "", err
	}
	return jmm.JCStress(a)
}

// prepare reads the test and checks the options.
func (o *JMMOptions) prepare(ctx context.Context, s Source) (*litmus.Test, justify.Options, error) {
	opts, err := o.options(ctx)
	if err != nil {
		return nil, opts, err
	}
	t, err := s.litmus()
	return t, opts, err
}

// options checks the options.
func (o *JMMOptions) options(ctx context.Context) (justify.Options, error) {
	opts := justify.Options{Ctx: ctx, Model: o.Model, Rules: justify.Rules(o.Rules), Identity: justify.Identity(o.Identity), Unroll: o.Unroll, Timeout: o.Timeout}
	for _, f := range []struct {
		name, value string
		allowed     []string
	}{{"rules", o.Rules, []string{"jls", "as", "hb"}}, {"identity", o.Identity, []string{"index", "free"}}} {
		if f.value != "" && !slices.Contains(f.allowed, f.value) {
			return opts, fmt.Errorf("--%s %s: it takes %s", f.name, f.value, strings.Join(f.allowed, " or "))
		}
	}
	if o.Identity == "" {
		opts.Identity = justify.Index
	}
	if o.Model == "" {
		opts.Model = "jls04"
	}
	if o.Unroll < 0 {
		return opts, errors.New("--unroll is not negative")
	}
	var err error
	if o.Solver != "" {
		if opts.Solver, err = smt.External(o.Solver); err != nil {
			return opts, err
		}
	}
	return opts, err
}

// litmus reads a litmus test.
func (s Source) litmus() (*litmus.Test, error) {
	text := s.Text
	if text == nil {
		var err error
		if text, err = os.ReadFile(s.Name); err != nil {
			return nil, err
		}
	}
	return frontend.Parse(s.Name, text)
}
