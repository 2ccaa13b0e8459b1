package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	for _, r := range []*Result{
		messagePassing(),
		{Verdict: Bounded, Reason: "loops were cut after 3 iterations", Warnings: []string{"a", "b <&>"}},
		{},
	} {
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "results.json", b.Bytes())

	// The contract: all fields, always.
	keys := func(v any) []string { return slices.Sorted(maps.Keys(v.(map[string]any))) }
	want := []string{"engine", "errors", "executions", "file", "model", "peak_memory_bytes", "seconds", "states", "verdict", "version", "warnings"}
	for l := range strings.Lines(b.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(l), &v); err != nil {
			t.Fatal(err)
		}
		if got := keys(v); !slices.Equal(got, want) {
			t.Errorf("fields %v", got)
		}
		if v["errors"] == nil || v["warnings"] == nil {
			t.Error("null instead of an empty list")
		}
		for _, e := range v["errors"].([]any) {
			if got := keys(e); !slices.Equal(got, []string{"kind", "location", "message", "related", "strongest_model", "thread", "trace"}) {
				t.Errorf("fields of an error: %v", got)
			}
		}
	}
}

func TestSARIF(t *testing.T) {
	all := treiber()
	all.Errors = append(all.Errors, messagePassing().Errors...)
	all.Errors = append(all.Errors,
		Error{Kind: "novel", Message: "a kind of its own"},
		Error{Kind: "leak", Message: "wide", Location: Location{"größe.c", 4, 40, "g"}, Execution: &Execution{}},
		Error{Kind: "memory", Message: "absolute", Location: Location{"/usr/src/a b.c", 4, 0, "g"}})
	all.Warnings = []string{"beware"}
	bounded := &Result{Verdict: Bounded, Reason: "loops were cut after 3 iterations", Version: "1"}
	for name, r := range map[string]*Result{"all.sarif": all, "bounded.sarif": bounded} {
		got := render(t, func(b *bytes.Buffer) error { return WriteSARIF(b, r, testOptions(0)) })
		golden(t, name, got)
		var log any
		if err := json.Unmarshal(got, &log); err != nil {
			t.Fatal(err)
		}
		checkSARIF(t, "log", log)
	}
}

// required has what the schema of SARIF 2.1.0 requires of the objects that we write.
var required = map[string][]string{
	"log":                        {"version", "runs"},
	"runs":                       {"tool"},
	"tool":                       {"driver"},
	"driver":                     {"name"},
	"rules":                      {"id"},
	"results":                    {"message"},
	"message":                    {"text"},
	"shortDescription":           {"text"},
	"fullDescription":            {"text"},
	"help":                       {"text"},
	"invocations":                {"executionSuccessful"},
	"toolExecutionNotifications": {"message"},
	"codeFlows":                  {"threadFlows"},
	"threadFlows":                {"locations"},
	"artifactLocation":           {"uri"},
	"region":                     {"startLine"},
}

// checkSARIF checks the object or list v that is called name, and all that it holds.
func checkSARIF(t *testing.T, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		if len(v) == 0 && (name == "threadFlows" || name == "locations") {
			t.Errorf("%s is empty", name)
		}
		for _, e := range v {
			checkSARIF(t, name, e)
		}
	case map[string]any:
		for _, key := range required[name] {
			if _, ok := v[key]; !ok {
				t.Errorf("%s has no %s", name, key)
			}
		}
		for key, e := range v {
			if key == "properties" {
				continue
			}
			checkSARIF(t, key, e)
		}
	case string:
		if name == "uri" {
			if _, err := url.Parse(v); err != nil {
				t.Error(err)
			}
		}
		if name == "level" && !slices.Contains([]string{"none", "note", "warning", "error"}, v) ||
			name == "importance" && !slices.Contains([]string{"important", "essential", "unimportant"}, v) {
			t.Errorf("%s: %q", name, v)
		}
	case float64:
		if v < 1 && (name == "startLine" || name == "startColumn" || name == "endColumn") || v < 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
}
