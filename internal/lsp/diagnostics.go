package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ravel"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/litmus"
	"ravel/internal/report"
)

// A problem is a diagnostic of a file. Several checks may have the same one: it is shown once.
type problem struct {
	path string
	diagnostic
	by string // which check found it
}

// publish sends the diagnostics of all files whose diagnostics changed, and of those named in any case.
func (s *server) publish(always ...string) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	byFile := map[string][]problem{}
	for _, key := range slices.Sorted(maps.Keys(s.found)) {
		for _, p := range s.found[key].problems {
			byFile[uriOf(p.path)] = append(byFile[uriOf(p.path)], p)
		}
	}
	s.mu.Unlock()
	for _, uri := range slices.Concat(always, slices.Collect(maps.Keys(s.published))) {
		byFile[uri] = append(byFile[uri], []problem{}...)
	}
	for _, uri := range slices.Sorted(maps.Keys(byFile)) {
		list := merge(byFile[uri])
		if text := fmt.Sprint(list); text != s.published[uri] || slices.Contains(always, uri) {
			s.notify("textDocument/publishDiagnostics", publishParams{uri, list})
			s.published[uri] = text
		}
		if len(list) == 0 {
			delete(s.published, uri)
		}
	}
}

// merge makes one diagnostic of those that say the same.
func merge(list []problem) []diagnostic {
	out := []diagnostic{}
	var by [][]string
	for _, p := range list {
		i := slices.IndexFunc(out, func(d diagnostic) bool {
			return d.Range == p.Range && d.Severity == p.Severity && d.Code == p.Code && d.Message == p.Message
		})
		if i < 0 {
			i = len(out)
			out, by = append(out, p.diagnostic), append(by, nil)
		}
		if p.by != "" && !slices.Contains(by[i], p.by) {
			by[i] = append(by[i], p.by)
		}
	}
	for i := range out {
		if len(by[i]) > 0 {
			out[i].Message += " (" + strings.Join(by[i], "; ") + ")"
		}
	}
	return out
}

// at makes a problem at a place; line 0 is the beginning of the file.
func (s *server) at(path string, line, column int, d diagnostic) problem {
	d.Range = s.rangeOf(path, line, column)
	d.Source = "ravel"
	return problem{path: path, diagnostic: d}
}

func (s *server) rangeOf(path string, line, column int) textRange {
	text, err := s.text(path)
	if err != nil || line <= 0 {
		return textRange{}
	}
	start, end := place(text, line, column)
	return s.encoding.textRange(text, start, end)
}

// remark is a problem of a whole file.
func (s *server) remark(path string, severity int, message string) problem {
	return s.at(path, 1, 0, diagnostic{Severity: severity, Message: message})
}

func summary(res *ravel.Result) string {
	var b bytes.Buffer
	_ = ravel.WriteSummary(&b, res)
	return strings.TrimSpace(b.String())
}

// problems returns what a result says. Errors that a target expects are information.
func (s *server) problems(j *job, uri string, res *ravel.Result) (list []problem) {
	add := func(p problem) {
		p.by = j.by()
		list = append(list, p)
	}
	expected := j.target != nil && j.target.Verdict == ravel.Wrong
	for i := range res.Errors {
		e := &res.Errors[i]
		d := diagnostic{Severity: severityError, Code: e.Kind, Message: e.Message}
		if report.KindOf(e.Kind).Warning {
			d.Severity = severityWarning
		}
		if expected {
			d.Severity = severityInformation
			d.Message += "; the target expects an error"
		}
		for _, n := range slices.Concat(e.Notes, e.Help) {
			d.Message += "\n" + n
		}
		for _, r := range e.Related {
			path := j.resolve(r.File)
			text := r.Message
			if !r.Declaration {
				text += fmt.Sprintf(" (thread %d)", r.Thread)
			}
			d.Related = append(d.Related, relatedInfo{location{uriOf(path), s.rangeOf(path, r.Line, r.Column)}, text})
		}
		path := j.resolve(e.Location.File)
		if e.Location.File == "" {
			path = pathOf(uri)
		}
		add(s.at(path, e.Location.Line, e.Location.Column, d))
	}
	if j.target != nil {
		if key, text := j.target.Difference(res); text != "" {
			file, line, column, _ := splitPlace(j.target.Place(key))
			add(s.at(file, line, column, diagnostic{Severity: severityError, Message: fmt.Sprintf("target %s: %s", j.target.Name, text)}))
		}
	} else if res.Verdict == ravel.Bounded || res.Verdict == ravel.Unknown {
		add(s.remark(pathOf(uri), severityInformation, summary(res)))
	}
	return list
}

var (
	clangMessage = regexp.MustCompile(`^(.+?):(\d+):(\d+): (?:(fatal error|error|warning): )?(.+)$`)
	rustMessage  = regexp.MustCompile(`^(error|warning)(?:\[\w+\])?: (.+)$`)
	javaMessage  = regexp.MustCompile(`^(.+\.java):(\d+): (?:(error|warning): )?(.+)$`)
	rustPlace    = regexp.MustCompile(`^\s*--> (.+?):(\d+):(\d+)$`)
)

// mistakes returns what an error about the input says: what compilers have to say at its places, or all of it at the beginning of a file.
func (s *server) mistakes(j *job, path string, err error) (list []problem) {
	seen := map[string]bool{}
	add := func(file, line, column, severity, message string) {
		l, _ := strconv.Atoi(line)
		c, _ := strconv.Atoi(column)
		d := diagnostic{Severity: severityError, Message: message}
		if severity == "warning" {
			d.Severity = severityWarning
		}
		if key := fmt.Sprint(file, l, c, message); !seen[key] {
			seen[key] = true
			list = append(list, s.at(j.resolve(file), l, c, d))
		}
	}
	var rust []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimRight(line, "\r\n")
		if m := rustMessage.FindStringSubmatch(line); m != nil {
			rust = m
		} else if m := rustPlace.FindStringSubmatch(line); m != nil && rust != nil {
			add(m[1], m[2], m[3], rust[1], rust[2])
			rust = nil
		} else if m := clangMessage.FindStringSubmatch(line); m != nil && m[4] != "note" {
			if strings.HasPrefix(m[5], "note: ") {
				continue
			}
			add(m[1], m[2], m[3], m[4], m[5])
		} else if m := javaMessage.FindStringSubmatch(line); m != nil {
			add(m[1], m[2], "", m[3], m[4])
		}
	}
	if !slices.ContainsFunc(list, func(p problem) bool { return p.Severity == severityError }) {
		list = append(list, s.remark(path, severityError, err.Error()))
	}
	return list
}

// splitPlace reads file:line:column.
func splitPlace(text string) (file string, line, column int, ok bool) {
	m := clangMessage.FindStringSubmatch(text + ": x")
	if m == nil {
		return text, 0, 0, false
	}
	line, _ = strconv.Atoi(m[2])
	column, _ = strconv.Atoi(m[3])
	return m[1], line, column, true
}

const typedPrefix = "typed\x00"

func isTyped(key string) bool { return strings.HasPrefix(key, typedPrefix) }

// typed looks for mistakes in a text that is being typed: in litmus tests and models.
func (s *server) typed(uri string) {
	d, err := s.document(uri)
	if err != nil || d.path == "" || d.language != langLitmus && d.language != langCat {
		return
	}
	s.background(func() {
		f := &finding{origins: map[string]bool{uri: true}}
		if d.language == langCat {
			f.problems = s.catMistakes(&d)
		} else {
			f.problems = s.litmusMistakes(&d)
		}
		s.mu.Lock()
		now := s.documents[uri]
		current := now != nil && now.version == d.version && now.text == d.text
		if current {
			s.found[typedPrefix+uri] = f
		}
		s.mu.Unlock()
		if current {
			s.publish(uri)
		}
	})
}

func (s *server) litmusMistakes(d *document) []problem {
	_, err := frontend.Parse(filepath.Base(d.path), []byte(d.text))
	var e *litmus.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		severity := severityError
		if e.Feature != "" {
			severity = severityWarning // the test is right
		}
		return []problem{s.at(d.path, e.Line, e.Col, diagnostic{Severity: severity, Message: e.Msg})}
	}
	return []problem{s.remark(d.path, severityError, err.Error())}
}

// checkTest runs a litmus test that was saved.
func (s *server) checkTest(ctx context.Context, d *document, r *run, settings *Settings) (list []outcome) {
	p := s.startProgress("ravel: "+s.short(d.path), r.cancel)
	f := &finding{origins: map[string]bool{d.uri: true}}
	o := ravel.LitmusOptions{Model: settings.LitmusModel, Timeout: settings.timeout(), Explain: true}
	err := ravel.Litmus(ctx, ravel.Files(d.path), o, func(r *ravel.LitmusResult) error {
		switch err := r.Err(); {
		case err != nil && len(s.litmusMistakes(d)) == 0: // else it shows already
			f.problems = append(f.problems, s.remark(d.path, severityError, err.Error()))
		case err == nil:
			text, severity := observation(&r.LitmusRecord)
			f.problems = append(f.problems, s.at(d.path, conditionLine(d.text), 0, diagnostic{Severity: severity, Code: strings.ToLower(r.Observation), Message: text}))
			list = append(list, outcome{Program: r.Name, Model: r.Model, Verdict: r.Verdict, Summary: text})
		}
		return nil
	})
	if ctx.Err() != nil {
		p.end("cancelled")
		return nil
	}
	if err != nil {
		f.problems = append(f.problems, s.remark(d.path, severityError, err.Error()))
	}
	s.replace("file\x00"+d.uri, f)
	s.publish(d.uri)
	p.end("")
	return list
}

// observation says what became of a test.
func observation(r *ravel.LitmusRecord) (text string, severity int) {
	severity = severityInformation
	all := r.Positive + r.Negative
	switch {
	case r.Verdict == "unknown":
		text = fmt.Sprintf("not decided under %s", r.Model)
	case r.Quantifier == "exists" && r.Holds:
		text = fmt.Sprintf("%s allows this: %d of %d executions", r.Model, r.Positive, all)
	case r.Quantifier == "exists":
		text = fmt.Sprintf("%s forbids this: none of %d executions", r.Model, all)
	case r.Holds:
		text = fmt.Sprintf("this holds under %s in all of %d executions", r.Model, all)
	default:
		text, severity = fmt.Sprintf("this does not hold under %s in all of %d executions", r.Model, all), severityWarning
	}
	if r.Bounded {
		text += ", with loops cut"
	}
	for _, f := range r.Flags {
		text, severity = text+"; flag "+f, severityWarning
	}
	for _, reason := range r.Reasons {
		text += fmt.Sprintf("\n%s forbids %d: %s", reason.Check, reason.Executions, strings.Join(reason.Cycle, " "))
	}
	return text, severity
}

var condition = regexp.MustCompile(`(?m)^\s*(?:~\s*exists|exists|forall|final|filter)\b`)

// conditionLine returns the line of the last condition of a test.
func conditionLine(text string) int {
	all := condition.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return 1
	}
	at := all[len(all)-1]
	return 1 + strings.Count(text[:at[0]+len(text[at[0]:at[1]])-len(strings.TrimLeft(text[at[0]:at[1]], " \t\r\n"))], "\n")
}
