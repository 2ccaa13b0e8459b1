package report

import (
	"encoding/xml"
	"fmt"
	"io"
)

// A TestCase is the outcome of a target of a ravel.toml under a model.
type TestCase struct {
	Suite, Name string
	Seconds     float64
	Summary     string // the verdict, in a line; "" if there is none
	Failure     string // what is wrong, in a line; "" if nothing is
	Details     string // of the failure
}

type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     float64     `xml:"-"`
		Seconds  string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Suite   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Seconds string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit prints test cases as JUnit's XML. The cases of a suite follow each other.
func WriteJUnit(w io.Writer, cases []TestCase) error {
	var all junitSuites
	for i, c := range cases {
		if i == 0 || cases[i-1].Suite != c.Suite {
			all.Suites = append(all.Suites, &junitSuite{Name: c.Suite})
		}
		s := all.Suites[len(all.Suites)-1]
		x := junitCase{Suite: c.Suite, Name: c.Name, Seconds: fmt.Sprintf("%.3f", c.Seconds)}
		if c.Failure != "" {
			x.Failure = &junitFailure{c.Failure, c.Details}
			s.Failures++
			all.Failures++
		}
		s.Cases = append(s.Cases, x)
		s.Tests++
		all.Tests++
		s.Time += c.Seconds
		s.Seconds = fmt.Sprintf("%.3f", s.Time)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
