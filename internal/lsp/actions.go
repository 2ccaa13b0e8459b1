package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ravel"
)

// suggest takes the memory orders that a check found to be missing, or stronger than needed.
func (s *server) suggest(j *job, f *finding, res *ravel.Result) {
	f.suggestion, f.checked, f.files = res.Suggestion, map[string]string{}, map[string]string{}
	what := "ravel: this memory order is missing: "
	if res.Verdict != ravel.Wrong {
		what = "ravel: this is stronger than the program needs: "
	}
	f.wrong = res.Verdict == ravel.Wrong
	for _, c := range slices.Concat(res.Suggestion.Changes, res.Suggestion.Kept) {
		path := j.resolve(c.Location.File)
		f.files[c.Location.File] = path
		if _, ok := f.checked[path]; !ok {
			if text, err := s.text(path); err == nil {
				f.checked[path] = text
			}
		}
	}
	for _, c := range res.Suggestion.Changes {
		path := f.files[c.Location.File]
		p := s.at(path, c.Location.Line, c.Location.Column, diagnostic{Severity: severityHint, Code: "order", Message: what + c.String()})
		p.by = j.by()
		f.problems = append(f.problems, p)
	}
}

// codeAction offers the changes at the selected place, one by one, and all changes of the program.
func (s *server) codeAction(_ context.Context, p actionParams) (any, error) {
	actions := []codeAction{}
	if len(p.Context.Only) > 0 && !slices.ContainsFunc(p.Context.Only, func(k string) bool { return k == "" || strings.HasPrefix("quickfix", k) }) {
		return actions, nil
	}
	uri := canonical(p.TextDocument.URI)
	path := pathOf(uri)
	s.mu.Lock()
	var findings []*finding
	for _, key := range slices.Sorted(maps.Keys(s.found)) {
		if f := s.found[key]; f.suggestion != nil {
			findings = append(findings, f)
		}
	}
	s.mu.Unlock()
	for _, f := range findings {
		text, err := s.text(path)
		if checked, ok := f.checked[path]; err != nil || !ok || checked != text {
			continue // nothing is known of this text
		}
		here := 0
		for _, c := range f.suggestion.Changes {
			if f.files[c.Location.File] != path || c.Location.Line-1 < p.Range.Start.Line || c.Location.Line-1 > p.Range.End.Line {
				continue
			}
			here++
			if edit, _ := s.edit(f, []ravel.Change{c}); edit != nil {
				actions = append(actions, codeAction{Title: fmt.Sprintf("%s (%s)", c, f.by), Kind: "quickfix", Edit: edit, IsPreferred: true})
			}
		}
		if all := f.suggestion.Changes; here > 0 && len(all) > 1 {
			if edit, left := s.edit(f, all); edit != nil {
				title := "Make all changes of memory orders"
				if left > 0 {
					title += fmt.Sprintf(" but %d, which no edit can make", left)
				}
				actions = append(actions, codeAction{Title: fmt.Sprintf("%s (%s)", title, f.by), Kind: "quickfix", Edit: edit})
			}
		}
	}
	return actions, nil
}

// edit returns the edits that make changes, nil if there are none to make, and how many changes no edit makes.
func (s *server) edit(f *finding, changes []ravel.Change) (out *workspaceEdit, left int) {
	byFile := map[string][]ravel.Change{}
	for _, c := range changes {
		byFile[f.files[c.Location.File]] = append(byFile[f.files[c.Location.File]], c)
	}
	out = &workspaceEdit{map[string][]textEdit{}}
	for path, list := range byFile {
		text, err := s.text(path)
		if err != nil || text != f.checked[path] {
			return nil, 0
		}
		edits, rest := ravel.Edits(text, list)
		left += len(rest)
		for _, e := range edits {
			uri := uriOf(path)
			out.Changes[uri] = append(out.Changes[uri], textEdit{s.encoding.textRange(text, e.Start, e.End), e.Text})
		}
	}
	if len(out.Changes) == 0 {
		return nil, left
	}
	return out, left
}
