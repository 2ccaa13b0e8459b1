package compare

import (
	"strings"

	"ravel/internal/enumerate"
	"ravel/internal/herd"
	"ravel/internal/report"
)

// A Record is a difference as plain data, as JSON has it.
type Record struct {
	Name      string         `json:"name"`
	File      string         `json:"file,omitempty"`
	Arch      string         `json:"arch"`
	State     map[string]any `json:"state,omitempty"`
	Condition bool           `json:"condition"` // the state is as the test's condition says
	Allowed   []string       `json:"allowed,omitempty"`
	Forbidden []Forbidden    `json:"forbidden,omitempty"`
	Events    []RecordEvent  `json:"events,omitempty"` // of an execution that ends in the state
	Rf        [][2]string    `json:"rf,omitempty"`
	Co        [][2]string    `json:"co,omitempty"`
	Other     string         `json:"other,omitempty"` // how models differ that allow the same states
	Cycle     string         `json:"cycle,omitempty"` // of a test that was made
	Test      string         `json:"test,omitempty"`

	Execution *report.Execution `json:"-"` // of the events, for pictures
}

// A Forbidden is what a model has against the state.
type Forbidden struct {
	Model string   `json:"model"`
	Check string   `json:"check"`
	Cycle []string `json:"cycle,omitempty"` // event, relation, event, …
}

// A RecordEvent is an event of the execution.
type RecordEvent struct {
	Name        string `json:"name"`
	Thread      int    `json:"thread"` // -1: initial
	Event       string `json:"event"`
	Instruction string `json:"instruction,omitempty"`
}

// Records returns the differences, only the first if not all, with the texts that show them.
func (o *Outcome) Records(all bool, opts Options) (records []Record, texts []string, err error) {
	if o.Other != "" {
		return []Record{{Name: o.Test.Name, Arch: string(o.Test.Arch), Other: o.Other}}, []string{o.Other}, nil
	}
	for k, d := range o.Differences {
		if k > 0 && !all {
			break
		}
		w, err := o.Explain(d, opts)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, o.record(d, w))
		note := ""
		if d.Positive {
			note = "  (as the condition says)"
		}
		texts = append(texts, "  "+herd.StateText(d.Result, d.Values)+note+"\n  allowed by "+names(d.Allowed)+"\n"+w.String())
	}
	return records, texts, nil
}

func (o *Outcome) record(d *Difference, w *Witness) Record {
	r := Record{Name: o.Test.Name, Arch: string(o.Test.Arch), State: herd.StateJSON(d.Result, d.Values), Condition: d.Positive}
	for _, m := range d.Allowed {
		r.Allowed = append(r.Allowed, m.Name)
	}
	for _, why := range w.Why {
		r.Forbidden = append(r.Forbidden, Forbidden{why.Model, why.Check, w.Path(why)})
	}
	for i, e := range w.Events {
		r.Events = append(r.Events, RecordEvent{w.Name(i), e.Thread, e.Label, e.Source})
	}
	named := func(pairs [][2]int) (list [][2]string) {
		for _, p := range pairs {
			list = append(list, [2]string{w.Name(p[0]), w.Name(p[1])})
		}
		return list
	}
	r.Rf, r.Co, r.Execution = named(w.Rf), named(w.Co), w.Execution
	return r
}

// names are those of models, with commas between.
func names(list []*enumerate.Model) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Name)
	}
	return strings.Join(out, ", ")
}
