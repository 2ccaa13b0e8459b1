package play

import (
	"ravel"
	"ravel/internal/report"
)

// A Message is what Run tells, one at a time: progress, and in the end an answer or a problem.
type Message struct {
	Queued   int       `json:"queued,omitempty"` // so many requests are before this one
	Progress *Progress `json:"progress,omitempty"`
	Answer   *Answer   `json:"answer,omitempty"`
	Problem  *Problem  `json:"problem,omitempty"`
}

// Progress is how far a run has come.
type Progress struct {
	Model string  `json:"model,omitempty"`
	Done  int64   `json:"done"`
	Total float64 `json:"total,omitempty"`
	Noun  string  `json:"noun"`
}

// A Problem is why there is no answer: an error in the source, or a limit.
type Problem struct {
	Message string `json:"message"`
	Places  []Mark `json:"places,omitempty"`
}

// A Mark is something to point at in a source.
type Mark struct {
	Location report.Location `json:"location"`
	Message  string          `json:"message"`
	Label    string          `json:"label,omitempty"` // what happens there, in few words
	Severity string          `json:"severity"`        // error, warning or info
	Thread   int             `json:"thread,omitempty"`
}

// An Answer is what the page shows.
type Answer struct {
	Kind string `json:"kind"`
	// Tone is good, bad, note or open; Headline is the answer in a few words, Detail in a sentence.
	Tone     string   `json:"tone"`
	Headline string   `json:"headline"`
	Detail   string   `json:"detail"`
	Warnings []string `json:"warnings,omitempty"`
	Text     string   `json:"text,omitempty"` // what the command prints
	Seconds  float64  `json:"seconds"`

	Models      []ModelAnswer `json:"models,omitempty"`      // of check: one for each model
	Outcomes    []Outcome     `json:"outcomes,omitempty"`    // of litmus and jmm
	AllOutcomes bool          `json:"allOutcomes,omitempty"` // no forbidden ones are missing
	Stages      []Stage       `json:"stages,omitempty"`      // of jmm: how an outcome is justified
	Differences []Difference  `json:"differences,omitempty"` // of compare and find
	Test        *File         `json:"test,omitempty"`        // that find made
}

// A ModelAnswer is the result of a check under one model.
type ModelAnswer struct {
	Model    string   `json:"model"`
	Tone     string   `json:"tone"`
	Verdict  string   `json:"verdict"`
	Summary  string   `json:"summary"`
	Warnings []string `json:"warnings,omitempty"`
	Errors   []Fault  `json:"errors,omitempty"`

	Executions []Passing     `json:"executions,omitempty"` // some of a program without errors
	Suggestion string        `json:"suggestion,omitempty"`
	Changes    []Change      `json:"changes,omitempty"`
	Text       string        `json:"text"`
	Result     *ravel.Result `json:"-"`
}

// A Fault is an error of a program with the execution that shows it.
type Fault struct {
	Kind     string          `json:"kind"`
	Title    string          `json:"title"`
	Message  string          `json:"message"`
	Explain  string          `json:"explain"`
	Notes    []string        `json:"notes,omitempty"`
	Help     []string        `json:"help,omitempty"`
	Marks    []Mark          `json:"marks"`
	Picture  *report.Picture `json:"picture,omitempty"`
	Unfolded *report.Picture `json:"unfolded,omitempty"` // if some events are folded in Picture
}

// A Passing is an execution that is as it should be.
type Passing struct {
	Title    string          `json:"title"`
	Picture  *report.Picture `json:"picture"`
	Unfolded *report.Picture `json:"unfolded,omitempty"`
}

// A Change is one of a memory order, with the edit that makes it, if there is one.
type Change struct {
	Text     string          `json:"text"`
	Location report.Location `json:"location"`
	Edit     *report.Edit    `json:"edit,omitempty"`
}

// An Outcome is a final state of a test with an execution that ends in it.
type Outcome struct {
	ravel.LitmusOutcome
	Note    string          `json:"note,omitempty"`
	Picture *report.Picture `json:"picture,omitempty"`
}

// A Difference is a final state that models disagree on.
type Difference struct {
	ravel.Difference
	Picture *report.Picture `json:"picture,omitempty"`
	Text    string          `json:"text,omitempty"`
}

// A Stage is a step of a justification under a model of Java.
type Stage struct {
	Title   string          `json:"title"`
	Picture *report.Picture `json:"picture,omitempty"`
}
