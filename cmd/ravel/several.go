package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ravel/internal/memmodel"
	"ravel/internal/report"
)

// runSeveral checks the program under several models: a line for each, then which is the strongest that breaks the program, and how.
func (f *checkFlags) runSeveral(names, files, compilerFlags []string) error {
	if f.statesAUT+f.statesDOT+f.statesSVG != "" {
		return errors.New("--states-aut, --states-dot and --states-svg write the states of one model")
	}
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	var results []*report.Result
	for _, name := range names {
		one := *f
		one.model = name
		res, err := one.check(files, compilerFlags)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, res)
		if f.json {
			if err := report.WriteJSON(os.Stdout, res); err != nil {
				return err
			}
			continue
		}
		fmt.Printf("%-*s  %s\n", width, name, report.Summary(res))
	}
	return f.conclude(names, results)
}

// conclude shows the error under the strongest model that has one, and returns the status of the worst result.
func (f *checkFlags) conclude(names []string, results []*report.Result) error {
	var broken []string
	status := 0
	for i, res := range results {
		if res.Verdict == report.Wrong {
			broken = append(broken, names[i])
		}
		if s := res.Verdict.ExitStatus(); status != report.Wrong.ExitStatus() && s != 0 {
			status = s
		}
	}
	show := results[0]
	if len(broken) > 0 {
		strongest := memmodel.Strongest(broken)
		show = results[slices.Index(names, strongest[0])]
		if !f.json {
			fmt.Printf("\n%s\n\n", strongestWords(strongest))
		}
	}
	if err := f.writeFiles(show); err != nil {
		return err
	}
	if !f.json {
		if len(broken) > 0 {
			if err := report.WriteText(os.Stdout, show, report.OptionsFor(os.Stdout)); err != nil {
				return err
			}
		} else {
			printWarnings(results)
		}
	}
	if status != 0 {
		return statusError(status)
	}
	return nil
}

// strongestWords says which of the models break the program first.
func strongestWords(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("the strongest of these models that breaks the program is %s:", names[0])
	}
	return fmt.Sprintf("the strongest of these models that break the program are %s, none of which is stronger than the others; under %s:",
		strings.Join(names[:len(names)-1], ", ")+" and "+names[len(names)-1], names[0])
}

// printWarnings prints each warning once.
func printWarnings(results []*report.Result) {
	seen := map[string]bool{}
	for _, res := range results {
		for _, w := range res.Warnings {
			if !seen[w] {
				seen[w] = true
				fmt.Printf("warning: %s\n", w)
			}
		}
	}
}
