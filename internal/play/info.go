package play

import "ravel"

// Info is what the page asks first.
type Info struct {
	Version string          `json:"version"`
	Models  []ravel.Model   `json:"models"` // without their texts, which the page asks for one by one
	Tools   map[string]bool `json:"tools"`  // languages that can be run
	Bytes   int             `json:"bytes"`
	Seconds float64         `json:"seconds"` // of a run; 0 is any number
}

// NewInfo returns what can be done within limits.
func NewInfo(l Limits) Info {
	i := Info{Version: ravel.Version, Models: ravel.Models(), Bytes: l.Bytes, Seconds: l.Timeout.Seconds()}
	for k := range i.Models {
		i.Models[k].Cat, i.Models[k].Definition = "", ""
	}
	i.Tools = map[string]bool{"litmus": true, "cat": true, "llvm": true}
	for _, language := range compiled {
		i.Tools[language] = l.Compilers && ravel.HasCompiler(language)
	}
	return i
}

// ModelText returns the text of one of ravel's models in cat.
func ModelText(name string) (string, error) {
	if _, err := ravel.FindModel(name); err != nil { // a file is none
		return "", err
	}
	return ravel.ModelText(name)
}
