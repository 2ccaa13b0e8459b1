package report

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

var _ = register(Format{Name: "sarif", Usage: "write the errors to `FILE` as SARIF", Write: WriteSARIF})

// WriteSARIF prints r as a SARIF 2.1.0 log with one run: a rule per kind of error, a result per
// error, and its execution as a code flow with one thread flow per thread.
func WriteSARIF(w io.Writer, r *Result, o Options) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	b := sarifBuilder{sources: newSources(o)}
	return enc.Encode(b.log(r))
}

// The parts of the format that ravel uses; names as in the standard, section 3.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"` // present, if empty: the run looked for them
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string        `json:"id"`
		Name             string        `json:"name"`
		ShortDescription sarifMessage  `json:"shortDescription"`
		FullDescription  sarifMessage  `json:"fullDescription"`
		Help             *sarifMessage `json:"help,omitempty"`
		Default          sarifConfig   `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       *int           `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	sarifCodeFlow struct {
		Message     sarifMessage      `json:"message"`
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		ID        string              `json:"id"`
		Message   sarifMessage        `json:"message"`
		Locations []sarifFlowLocation `json:"locations"`
	}
	sarifFlowLocation struct {
		Location       sarifLocation `json:"location"`
		Kinds          []string      `json:"kinds,omitempty"`
		ExecutionOrder int           `json:"executionOrder"`
		Importance     string        `json:"importance"`
	}
)

type sarifBuilder struct{ sources *sources }

func (b *sarifBuilder) log(r *Result) sarifLog {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "ravel", Version: r.Version}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
		Properties: map[string]any{
			"verdict": r.Verdict, "model": r.Model, "engine": r.Engine, "file": r.File,
			"executions": r.Executions, "states": r.States, "seconds": r.Seconds,
		},
	}
	inv := sarifInvocation{Successful: true, ExitCode: r.Verdict.ExitStatus()}
	if r.Verdict == Bounded || r.Verdict == Unknown {
		inv.Notifications = append(inv.Notifications, sarifNotification{"warning", sarifMessage{Summary(r)}})
	}
	for _, w := range slices.Concat(r.Warnings, r.compilerWarnings()) {
		inv.Notifications = append(inv.Notifications, sarifNotification{"warning", sarifMessage{clean(w)}})
	}
	run.Invocations = []sarifInvocation{inv}

	rules := map[string]int{}
	addRule := func(k ErrorKind) {
		rules[k.Name] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(k))
	}
	for _, k := range Kinds {
		addRule(k)
	}
	for i := range r.Errors {
		e := &r.Errors[i]
		if _, ok := rules[e.Kind]; !ok {
			addRule(KindOf(e.Kind))
		}
		run.Results = append(run.Results, b.result(e, rules[e.Kind]))
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

func level(k ErrorKind) string {
	if k.Warning {
		return "warning"
	}
	return "error"
}

func sarifRuleOf(k ErrorKind) sarifRule {
	r := sarifRule{
		ID: k.Name, Name: strings.ReplaceAll(k.Title, " ", "-"),
		ShortDescription: sarifMessage{k.Title}, FullDescription: sarifMessage{k.Text},
		Default: sarifConfig{level(k)},
	}
	if k.Help != "" {
		r.Help = &sarifMessage{k.Help}
	}
	return r
}

func (b *sarifBuilder) result(e *Error, rule int) sarifResult {
	text := clean(e.Message)
	for _, n := range append(append([]string{}, e.Notes...), e.Help...) {
		text += "\n" + clean(n)
	}
	res := sarifResult{
		RuleID: e.Kind, RuleIndex: rule, Level: level(KindOf(e.Kind)),
		Message:      sarifMessage{text},
		Fingerprints: map[string]string{"ravel/v1": fingerprint(e)},
	}
	if e.StrongestModel != "" {
		res.Properties = map[string]any{"strongestModel": e.StrongestModel}
	}
	if loc := b.location(e.Location, ""); loc.Physical != nil {
		res.Locations = []sarifLocation{loc}
	}
	for i, r := range e.Related {
		loc := b.location(r.Location(), labels(e)[i+1].text)
		loc.ID = new(i + 1)
		res.Related = append(res.Related, loc)
	}
	if x := e.Marked(); x != nil {
		if flows := b.threadFlows(x); len(flows) > 0 {
			res.CodeFlows = []sarifCodeFlow{{sarifMessage{"an execution that shows it"}, flows}}
		}
	}
	return res
}

// fingerprint identifies an error by what and where it is, but not by line numbers, so that it
// stays the same error when the code around it changes.
func fingerprint(e *Error) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s|%s|%s|%s", e.Kind, e.Message, filepath.Base(e.Location.File), e.Location.Function)
	for _, r := range e.Related {
		fmt.Fprintf(h, "|%s|%s", filepath.Base(r.File), r.Function)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// threadFlows returns the rows of x, thread by thread; executionOrder puts them together again.
func (b *sarifBuilder) threadFlows(x *Execution) []sarifThreadFlow {
	t := newTrace(x, true)
	var flows []sarifThreadFlow
	for col, th := range t.threads {
		flow := sarifThreadFlow{ID: fmt.Sprintf("T%d", th.ID), Message: sarifMessage{threadName(th)}}
		for _, s := range t.rows {
			if s.col != col {
				continue
			}
			text := strings.TrimSpace(t.describe(s, noLimit) + " " + t.origin(s))
			importance := "important"
			if s.pointed() {
				importance = "essential"
				if m := clean(s.mark()); m != "" {
					text += " — " + m
				}
			}
			loc := b.location(s.ev.Location, text)
			flow.Locations = append(flow.Locations, sarifFlowLocation{loc, []string{s.ev.Kind.String()}, s.row, importance})
		}
		if len(flow.Locations) > 0 {
			flows = append(flows, flow)
		}
	}
	return flows
}

func (b *sarifBuilder) location(l Location, message string) sarifLocation {
	var loc sarifLocation
	if message != "" {
		loc.Message = &sarifMessage{message}
	}
	if l.Function != "" {
		loc.Logical = []sarifLogical{{clean(l.Function), "function"}}
	}
	if l.File == "" {
		return loc
	}
	loc.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(l.File)}}
	if l.Line > 0 {
		loc.Physical.Region = b.region(l)
	}
	return loc
}

// region returns the place of l in characters, not bytes, where the source is at hand.
func (b *sarifBuilder) region(l Location) *sarifRegion {
	r := &sarifRegion{StartLine: l.Line}
	if l.Column <= 0 {
		return r
	}
	r.StartColumn = l.Column
	if line, ok := b.sources.line(l.File, l.Line); ok && l.Column <= len(line) {
		from, to := span(line, l.Column)
		r.StartColumn = utf8.RuneCountInString(line[:from]) + 1
		r.EndColumn = utf8.RuneCountInString(line[:to]) + 1
	}
	return r
}

// fileURI returns the URI of a file: relative for a relative path, as viewers of repositories want it.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
