package ravel

import (
	"io"

	"ravel/internal/project"
	"ravel/internal/report"
)

// A Target is a program that a ravel.toml names, and what the result of its check should be. Its method Difference compares, Place says where a key is.
type Target = project.Target

// Targets returns the targets of each file, and those of each ravel.toml in a folder and below it.
func Targets(names ...string) ([]Target, error) { return project.FindTargets(names) }

// A TestCase is the outcome of a target under a model, for WriteJUnit.
type TestCase = report.TestCase

// WriteJUnit prints the outcomes of targets as JUnit's XML, which services for continuous integration read.
func WriteJUnit(w io.Writer, cases []TestCase) error { return report.WriteJUnit(w, cases) }
