package jmm

import (
	"context"
	"errors"

	"ravel/internal/diy"
	"ravel/internal/frontend/litmus"
	"ravel/internal/justify"
)

// A Search is what the search for a test on which a scheme fails came to.
type Search struct {
	Tests  int            // how many were tried
	Text   string         // of the test, "" if there is none
	Report *CompileReport // of the test
}

// FindUnsound looks for a test on which the scheme shows what the model forbids: tests in Java from cycles of up to n edges of program order and
// communication (package diy), the shortest first, all of whose accesses are volatile.
func FindUnsound(ctx context.Context, s *Scheme, opts justify.Options, n int) (*Search, error) {
	found := &Search{}
	for edges := 2; edges <= n; edges++ {
		for c := range diy.Cycles(diy.Java, edges, 0) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			v, err := volatileCycle(c)
			var wrong *diy.Error
			if errors.As(err, &wrong) {
				continue // it has no test
			}
			if err != nil {
				return nil, err
			}
			text, err := v.Litmus()
			if err != nil {
				return nil, err
			}
			test, err := litmus.Parse(v.Name()+".litmus", []byte(text))
			if err != nil {
				return nil, err
			}
			r, err := Compile(ctx, test, s, opts)
			if err != nil {
				return nil, err
			}
			if found.Tests++; !r.Sound {
				found.Text, found.Report = text, r
				return found, nil
			}
		}
	}
	return found, nil
}

// volatileCycle returns the cycle with volatile accesses.
func volatileCycle(c *diy.Cycle) (*diy.Cycle, error) {
	edges := append([]diy.Edge(nil), c.Edges...)
	for i := range edges {
		edges[i].From, edges[i].To = diy.Annot{Mode: "Volatile", Given: true}, diy.Annot{Mode: "Volatile", Given: true}
	}
	return diy.Make(diy.Java, edges)
}
