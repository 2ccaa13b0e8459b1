package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown prints the outcomes of targets for people who look at a pull request: a table, and the reports of those that are not as expected.
func WriteMarkdown(w io.Writer, cases []TestCase) error {
	b := bufio.NewWriter(w)
	failed := 0
	for _, c := range cases {
		if c.Failure != "" {
			failed++
		}
	}
	fmt.Fprintf(b, "## ravel: %d passed, %d failed\n\n", len(cases)-failed, failed)
	if len(cases) > 0 {
		fmt.Fprint(b, "| | target | result | seconds |\n|---|---|---|---|\n")
	}
	for _, c := range cases {
		mark, text := "✅", c.Summary
		if c.Failure != "" {
			mark, text = "❌", c.Failure
		}
		fmt.Fprintf(b, "| %s | %s | %s | %.2f |\n", mark, markdownCell(c.Suite+": "+c.Name), markdownCell(text), c.Seconds)
	}
	for _, c := range cases {
		if c.Failure == "" {
			continue
		}
		fence := "```"
		for strings.Contains(c.Details, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s\n%s%s\n\n</details>\n", htmlText.Replace(c.Name+": "+c.Failure), fence+"text", withEnd(c.Details), fence)
	}
	return b.Flush()
}

var htmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ")

// markdownCell makes a text fit for a cell of a table.
func markdownCell(text string) string {
	return strings.NewReplacer("|", "\\|", "&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "`", "\\`", "*", "\\*", "_", "\\_").Replace(text)
}

// withEnd returns a text that ends with a line, if it is not empty.
func withEnd(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
