package report

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	err := WriteMarkdown(&b, []TestCase{
		{Suite: "src", Name: "queue/rc11", Seconds: 0.5, Summary: "verified: no errors in 9 executions (rc11)"},
		{Suite: "src", Name: "a|b", Seconds: 1, Failure: "ravel.toml:3:1: want verified, have error", Details: "error[race]: <x>\n```\nmore"},
	})
	want := "## ravel: 1 passed, 1 failed\n\n| | target | result | seconds |\n|---|---|---|---|\n" +
		"| ✅ | src: queue/rc11 | verified: no errors in 9 executions (rc11) | 0.50 |\n" +
		"| ❌ | src: a\\|b | ravel.toml:3:1: want verified, have error | 1.00 |\n" +
		"\n<details><summary>a|b: ravel.toml:3:1: want verified, have error</summary>\n\n````text\nerror[race]: <x>\n```\nmore\n````\n\n</details>\n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, &b, want)
	}
}
