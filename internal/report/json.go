package report

import (
	"encoding/json"
	"io"
)

// WriteJSON prints r as one JSON object on one line, with every field present.
func WriteJSON(w io.Writer, r *Result) error {
	c := *r
	c.Warnings = append([]string{}, r.Warnings...)
	if c.Reason != "" && (c.Verdict == Bounded || c.Verdict == Unknown) {
		c.Warnings = append([]string{string(c.Verdict) + ": " + c.Reason}, c.Warnings...)
	}
	c.Errors = append([]Error{}, r.Errors...)
	for i := range c.Errors {
		if c.Errors[i].Related == nil {
			c.Errors[i].Related = []Related{}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(&c)
}
