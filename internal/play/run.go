package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ravel"
	"ravel/internal/report"

	"ravel/internal/lazy"
)

// Run answers a request and calls tell with what it finds out; the last message has an answer or a problem. tell may be called by other goroutines, but not by two at a time.
func Run(ctx context.Context, r *Request, l Limits, tell func(Message)) {
	if err := r.Check(l); err != nil {
		tell(Message{Problem: &Problem{Message: err.Error()}})
		return
	}
	if l.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	start := time.Now()
	p := &player{Request: r, limits: l, tell: tell, ctx: ctx}
	free := p.loadModels()
	defer free()
	a, err := p.run()
	if err != nil {
		tell(Message{Problem: p.problem(err)})
		return
	}
	a.Kind, a.Seconds = r.Kind, time.Since(start).Seconds()
	tell(Message{Answer: a})
}

// A player answers one request.
type player struct {
	*Request
	ctx    context.Context
	limits Limits
	tell   func(Message)
	folder string // that models of the request seem to be in
	ids    int    // of pictures
}

// loadModels makes the models of the request available, and replaces their names.
func (p *player) loadModels() (free func()) {
	files := p.sources("cat")
	names, free := ravel.ModelsInMemory(files...)
	models := slices.Clone(p.Models)
	for i, f := range files {
		p.folder = strings.TrimSuffix(names[i], f.Name)
		for k, m := range models {
			if m == f.Name {
				models[k] = names[i]
			}
		}
	}
	r := *p.Request
	r.Models = models
	p.Request = &r
	return free
}

func (p *player) run() (*Answer, error) {
	switch p.Kind {
	case "check":
		return p.check()
	case "litmus":
		return p.litmus()
	case "jmm":
		return p.jmm()
	case "compare":
		return p.compare()
	}
	return p.find()
}

// shown returns a model by the name that the request has for it.
func (p *player) shown(model string) string {
	if p.folder == "" {
		return model
	}
	return strings.TrimPrefix(model, p.folder)
}

// picture lays an execution out, and once more without folding if something is folded.
func (p *player) picture(title string, x *report.Execution) (folded, unfolded *report.Picture) {
	if x == nil {
		return nil, nil
	}
	p.ids++
	prefix := fmt.Sprintf("p%d-", p.ids)
	folded = report.NewPicture(title, x, prefix, false)
	if folded.Folded {
		unfolded = report.NewPicture(title, x, prefix+"u-", true)
	}
	return folded, unfolded
}

// style prints texts with the sources of the request only: debug information may name any file.
func (p *player) style() ravel.Style {
	return ravel.Style{Width: 110, Source: func(file string) ([]byte, error) {
		for _, f := range p.Files {
			if f.Name == file {
				return []byte(f.Text), nil
			}
		}
		return nil, fs.ErrNotExist
	}}
}

// line returns a line of a source of the request.
func (p *player) line(l report.Location) (string, bool) {
	for _, f := range p.Files {
		if lines := strings.Split(f.Text, "\n"); f.Name == l.File && l.Line > 0 && l.Line <= len(lines) {
			return lines[l.Line-1], true
		}
	}
	return "", false
}

var tones = map[ravel.Verdict]string{ravel.Verified: "good", ravel.Wrong: "bad", ravel.Bounded: "open", ravel.Unknown: "open"}

func (p *player) check() (*Answer, error) {
	models := p.Models
	program := ravel.Program{Files: p.sources("c", "c++", "java", "llvm"), Headers: p.sources("header"), CompilerFlags: p.Flags, Sealed: true}
	if crate := p.sources("rust"); len(crate) > 0 { // the others are modules of the first
		program.Files, program.Headers = append(program.Files, crate[0]), append(program.Headers, crate[1:]...)
	}
	if len(program.Files) == 0 {
		return nil, errors.New("there is no program to check: its name ends in .c, .cpp, .rs, .java or .ll")
	}
	if len(models) == 0 {
		models = []string{ravel.DefaultModel(program)}
	}
	a := &Answer{}
	for _, model := range models {
		o := ravel.CheckOptions{
			Model: model, Mapping: p.Mapping, Unroll: p.Unroll, KeepGoing: p.KeepGoing, NoRaceCheck: p.NoRaces, CheckOverflow: p.Overflow, CheckLeaks: p.Leaks,
			Liveness: p.Liveness, Suggest: p.Suggest, MaxMemory: p.limits.Memory, Workers: p.limits.Workers,
		}
		o.OnProgress = p.progress(p.shown(model))
		res, err := ravel.Check(p.ctx, program, o)
		if err != nil {
			return nil, err
		}
		if res.Model = p.shown(model); p.timedOut() && res.Verdict == ravel.Unknown {
			res.Reason = fmt.Sprintf("stopped after %v, the limit of this page", p.limits.Timeout)
		}
		m, err := p.modelAnswer(res)
		if err != nil {
			return nil, err
		}
		if res.Verdict == ravel.Verified && len(models) == 1 {
			m.Executions = p.passing(program, o)
		}
		a.Models = append(a.Models, m)
	}
	p.conclude(a)
	return a, nil
}

// maxPassing is how many executions of a program without errors are shown.
const maxPassing = 12

// passing returns some executions of a program, to look at.
func (p *player) passing(program ravel.Program, o ravel.CheckOptions) (list []Passing) {
	ctx, enough := context.WithTimeout(p.ctx, 5*time.Second)
	defer enough()
	o.Suggest, o.OnProgress = false, nil
	o.OnExecution = func(title string, x *ravel.Execution) error {
		if len(list) == maxPassing {
			enough()
			return nil
		}
		e := Passing{Title: title}
		e.Picture, e.Unfolded = p.picture(title, x)
		list = append(list, e)
		return nil
	}
	_, _ = ravel.Check(ctx, program, o) // it was checked before; what is shown is a part of it
	return list
}

// timedOut reports whether the time of the request is over.
func (p *player) timedOut() bool { return errors.Is(p.ctx.Err(), context.DeadlineExceeded) }

// progress returns a function that tells how far a run is, a few times per second.
func (p *player) progress(model string) func(ravel.Progress) {
	var last time.Time
	return func(s ravel.Progress) {
		if time.Since(last) < 150*time.Millisecond {
			return
		}
		last = time.Now()
		noun := s.Noun
		if noun == "" {
			noun = "execution"
		}
		p.tell(Message{Progress: &Progress{Model: model, Done: s.Done, Total: s.Total, Noun: noun}})
	}
}

func (p *player) modelAnswer(res *ravel.Result) (ModelAnswer, error) {
	var text bytes.Buffer
	if err := ravel.WriteText(&text, res, p.style()); err != nil {
		return ModelAnswer{}, err
	}
	_, summary, _ := strings.Cut(report.Summary(res), ": ")
	m := ModelAnswer{Model: res.Model, Tone: tones[res.Verdict], Verdict: string(res.Verdict), Summary: summary, Warnings: res.Warnings, Text: text.String(), Result: res}
	for i := range res.Errors {
		m.Errors = append(m.Errors, p.fault(&res.Errors[i]))
	}
	if s := res.Suggestion; s != nil {
		m.Suggestion = s.Message
		for _, c := range s.Changes {
			change := Change{Text: c.String(), Location: c.Location}
			if line, ok := p.line(c.Location); ok {
				if e, ok := c.Edit(line); ok {
					change.Edit = &e
				}
			}
			m.Changes = append(m.Changes, change)
		}
	}
	return m, nil
}

func (p *player) fault(e *ravel.Error) Fault {
	kind := report.KindOf(e.Kind)
	f := Fault{Kind: e.Kind, Title: kind.Title, Message: e.Message, Explain: kind.Text, Notes: e.Notes, Help: e.Help}
	for i, at := range e.Places() {
		severity := "info"
		if i == 0 {
			severity = "error"
		}
		text := at.Text
		if i == 0 {
			text = e.Message
		}
		f.Marks = append(f.Marks, Mark{at.Location, text, at.Text, severity, at.Thread})
	}
	f.Picture, f.Unfolded = p.picture(e.Message, e.Marked())
	return f
}

// conclude says in a few words what the results under all models are.
func (p *player) conclude(a *Answer) {
	var good, bad, open []string
	for _, m := range a.Models {
		switch m.Tone {
		case "good":
			good = append(good, m.Model)
		case "bad":
			bad = append(bad, m.Model)
		default:
			open = append(open, m.Model)
		}
	}
	switch first := a.Models[0]; {
	case len(a.Models) == 1:
		a.Tone, a.Detail = first.Tone, first.Summary
		switch {
		case len(first.Errors) > 0:
			a.Headline = capital(first.Errors[0].Title)
			a.Detail = first.Errors[0].Message
		case first.Tone == "good":
			a.Headline = "Verified under " + first.Model
		default:
			a.Headline = "Not decided"
		}
	case len(bad) == 0 && len(open) == 0:
		a.Tone, a.Headline = "good", "Verified under all of these models"
		a.Detail = "The weakest: " + words(weakest(good)) + "."
	case len(bad) == 0:
		a.Tone, a.Headline, a.Detail = "open", "Not decided under "+words(open), "No error was found."
	case len(good) == 0:
		a.Tone, a.Headline = "bad", "Wrong under "+words(bad)
		a.Detail = "The strongest model that breaks the program: " + words(ravel.Strongest(bad)) + "."
	default:
		a.Tone, a.Headline = "bad", "Holds under "+words(good)+", breaks under "+words(bad)
		a.Detail = fmt.Sprintf("The weakest model that holds: %s. The strongest that breaks the program: %s.", words(weakest(good)), words(ravel.Strongest(bad)))
	}
}

// weakest returns those of the models than which none of the others is known to be weaker.
func weakest(names []string) (list []string) {
	for _, n := range names {
		if !slices.ContainsFunc(names, func(m string) bool { return m != n && !slices.Contains(ravel.Strongest([]string{n, m}), m) }) {
			list = append(list, n)
		}
	}
	return list
}

func (p *player) model() (string, error) {
	switch len(p.Models) {
	case 0:
		return "", nil
	case 1:
		return p.Models[0], nil
	}
	return "", errors.New("choose one model, or compare several")
}

func (p *player) test() (ravel.Source, error) {
	tests := p.sources("litmus")
	if len(tests) != 1 {
		return ravel.Source{}, fmt.Errorf("one litmus test at a time: there are %d", len(tests))
	}
	return tests[0], nil
}

func (p *player) litmus() (*Answer, error) {
	test, err := p.test()
	if err != nil {
		return nil, err
	}
	model, err := p.model()
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	o := ravel.LitmusOptions{Model: model, Unroll: p.Unroll, Explain: true, Outcomes: true, Workers: 1}
	err = ravel.Litmus(p.ctx, []ravel.Source{test}, o, func(r *ravel.LitmusResult) error {
		if r.Err() != nil {
			return r.Err()
		}
		var text bytes.Buffer
		if err := r.WriteLog(&text); err != nil {
			return err
		}
		a.Text, a.Warnings = text.String(), r.Warnings
		p.litmusVerdict(a, r)
		outcomes, all := r.Outcomes()
		for _, out := range outcomes {
			x := Outcome{LitmusOutcome: out}
			x.Picture, _ = p.picture(out.Title, out.Execution)
			a.Outcomes = append(a.Outcomes, x)
		}
		a.AllOutcomes = all
		return nil
	})
	return a, err
}

func (p *player) litmusVerdict(a *Answer, r *ravel.LitmusResult) {
	model := p.shown(r.Model)
	asked := map[string]string{"exists": "The outcome", "~exists": "The outcome", "forall": "The condition"}[r.Quantifier]
	switch {
	case r.Verdict == "unknown":
		a.Tone, a.Headline = "open", "Not decided under "+model
	case r.Verdict == "undef":
		a.Tone, a.Headline = "bad", "Undefined behaviour under "+model
	case r.Quantifier == "forall" && r.Holds:
		a.Tone, a.Headline = "good", "Always true under "+model
	case r.Quantifier == "forall":
		a.Tone, a.Headline = "bad", "Not always true under "+model
	case r.Observation == "Never":
		a.Tone, a.Headline = "good", "Forbidden under "+model
	default:
		a.Tone, a.Headline = "note", "Allowed under "+model
	}
	a.Detail = fmt.Sprintf("%s that the test asks about is there in %d of %s.", asked, r.Positive, count(r.Executions, "execution"))
	if r.Quantifier == "forall" {
		a.Detail = fmt.Sprintf("The condition is true in %d of %s.", r.Positive, count(r.Executions, "execution"))
	}
	if len(r.Reasons) > 0 {
		a.Detail += " Forbidden by " + words(checks(r.Reasons)) + "."
	}
	for _, f := range r.Flags {
		a.Warnings = append(a.Warnings, "the model raises the flag "+f)
	}
}

func checks(reasons []ravel.LitmusReason) (list []string) {
	for _, r := range reasons {
		list = append(list, r.Check)
	}
	return list
}

func (p *player) jmm() (*Answer, error) {
	test, err := p.test()
	if err != nil {
		return nil, err
	}
	model, err := p.model()
	if err != nil {
		return nil, err
	}
	r, err := ravel.JMMCheck(p.ctx, test, ravel.JMMOptions{Model: model, Rules: p.Rules, Unroll: p.Unroll})
	if err != nil {
		return nil, err
	}
	r.Explain()
	var text bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteJustification(&text, p.style())); err != nil {
		return nil, err
	}
	a := &Answer{Text: text.String(), Warnings: r.Warnings}
	name := p.shown(r.Model)
	switch {
	case r.Status() == 3:
		a.Tone, a.Headline = "open", "Not decided under "+name
	case r.Quantifier == "exists" && r.Holds:
		a.Tone, a.Headline = "note", "Allowed under "+name
	case r.Quantifier == "exists":
		a.Tone, a.Headline = "good", "Forbidden under "+name
	case r.Holds:
		a.Tone, a.Headline = "good", "As the test requires, under "+name
	default:
		a.Tone, a.Headline = "bad", "Not as the test requires, under "+name
	}
	a.Detail = fmt.Sprintf("Rules of causality: %s. %s.", r.Rules, capital(count(r.Executions, "execution")))
	for _, s := range r.States {
		values := map[string]any{}
		var parts []string
		for k, v := range s {
			values[k] = v
			parts = append(parts, fmt.Sprintf("%s=%d;", k, v))
		}
		slices.Sort(parts)
		a.Outcomes = append(a.Outcomes, Outcome{LitmusOutcome: ravel.LitmusOutcome{State: strings.Join(parts, " "), Values: values, Allowed: true, Executions: 1}})
	}
	for i, s := range r.Justification {
		title := fmt.Sprintf("Stage %d commits %s", i+1, strings.Join(s.Commits, ", "))
		if s.Target {
			title = "The execution that is justified"
		}
		stage := Stage{Title: title}
		stage.Picture, _ = p.picture(title, s.Execution)
		a.Stages = append(a.Stages, stage)
	}
	return a, nil
}

func (p *player) compare() (*Answer, error) {
	test, err := p.test()
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	err = ravel.Compare(p.ctx, []ravel.Source{test}, ravel.CompareOptions{Models: p.Models, Unroll: p.Unroll, All: p.AllStates}, func(c *ravel.Comparison) error {
		if c.Err != nil {
			return c.Err
		}
		p.differences(a, c)
		switch {
		case c.Undecided:
			a.Tone, a.Headline, a.Detail = "open", "Not decided", "The models agree on what was seen, but loops were cut or the time ran out."
		case len(c.Differences) == 0:
			a.Tone, a.Headline, a.Detail = "good", "No difference", words(p.names())+" allow the same outcomes of this test."
		}
		return nil
	})
	return a, err
}

// names are those of the models, as the request has them.
func (p *player) names() (list []string) {
	for _, m := range p.Models {
		list = append(list, strings.TrimSuffix(p.shown(m), ".cat"))
	}
	return list
}

func (p *player) differences(a *Answer, c *ravel.Comparison) {
	a.Text = c.Text
	if len(c.Differences) == 0 {
		return
	}
	a.Tone, a.Headline = "note", "The models differ"
	if d := c.Differences[0]; d.Other != "" {
		a.Detail = d.Other
	} else {
		a.Detail = fmt.Sprintf("They differ in %s. The first one is allowed by %s.", count(len(c.Differences)+c.More, "outcome"), words(d.Allowed))
	}
	for _, d := range c.Differences {
		x := Difference{Difference: d}
		title := d.Name + ": allowed by " + words(d.Allowed)
		x.Picture, _ = p.picture(title, d.Execution)
		a.Differences = append(a.Differences, x)
	}
}

func (p *player) find() (*Answer, error) {
	d, err := ravel.Distinguish(p.ctx, ravel.CompareOptions{Models: p.Models, Dialect: p.Dialect, Unroll: p.Unroll, MaxEdges: 5, MaxSize: 6})
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	if len(d.Differences) == 0 {
		a.Tone, a.Headline = "open", "No test found"
		a.Detail = fmt.Sprintf("%s tests in %s, from the smallest up, show no difference between %s.", strconv.Itoa(d.Looked), d.Dialect, words(p.names()))
		if p.timedOut() {
			a.Detail += " The time ran out."
		}
		return a, nil
	}
	p.differences(a, &d.Comparison)
	name := d.Differences[0].Name
	a.Headline = "The smallest test that tells them apart"
	a.Test = &File{Name: fileOf(name), Text: d.Test}
	return a, nil
}

var notInName = lazy.Regexp(`[^A-Za-z0-9_.+-]`)

// fileOf returns a name for the file of a test.
func fileOf(name string) string {
	return strings.Trim(notInName().ReplaceAllString(name, "-"), ".+-") + ".litmus"
}

// words lists names: "a, b and c".
func words(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// place is how messages of compilers and of ravel begin.
var place = lazy.Regexp(`(?m)(?:^|: )([A-Za-z0-9_][A-Za-z0-9_.+/ -]*?)(?: \(as LLVM IR\))?:(\d+):(\d+): (?:(fatal error|error|warning|note): )?(.*)$`)

// rustPlace is how rustc says it: the message, then where it is.
var rustPlace = lazy.Regexp(`(?m)^(error|warning)(?:\[E\d+\])?: (.*)\n *--> ([^:\n]+):(\d+):(\d+)$`)

// problem turns an error into what the page shows, with places in the sources.
func (p *player) problem(err error) *Problem {
	text := err.Error()
	if p.folder != "" {
		text = strings.ReplaceAll(text, p.folder, "")
	}
	out := &Problem{Message: text}
	add := func(file, line, column, severity, message string) {
		l, _ := strconv.Atoi(line)
		c, _ := strconv.Atoi(column)
		if !slices.ContainsFunc(p.Files, func(f File) bool { return f.Name == file }) || len(out.Places) >= 100 {
			return
		}
		switch severity {
		case "fatal error", "":
			severity = "error"
		case "note":
			severity = "info"
		}
		out.Places = append(out.Places, Mark{Location: report.Location{File: path.Clean(file), Line: l, Column: c}, Message: message, Severity: severity})
	}
	for _, m := range place().FindAllStringSubmatch(text, -1) {
		add(m[1], m[2], m[3], m[4], m[5])
	}
	for _, m := range rustPlace().FindAllStringSubmatch(text, -1) {
		add(m[3], m[4], m[5], m[1], m[2])
	}
	return out
}
