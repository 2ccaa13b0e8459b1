// Package web has the page on which programs are run: the same files for `ravel serve` and for the site without a server.
package web

import (
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"ravel/internal/report"
)

//go:embed assets
var assets embed.FS

//go:embed examples
var exampleFiles embed.FS

// An Example is a program that the page offers.
type Example struct {
	ID       string         `json:"id"`
	Topic    string         `json:"topic"`
	Title    string         `json:"title"`
	Language string         `json:"language"` // for people
	About    string         `json:"about"`
	Start    string         `json:"start,omitempty"` // if set, the page offers it first, with these words
	Names    []string       `json:"names,omitempty"` // of its files, in the folder examples
	Files    []File         `json:"files,omitempty"`
	Href     string         `json:"href,omitempty"` // where the files are, if not here
	Models   []string       `json:"models,omitempty"`
	Options  map[string]any `json:"options,omitempty"`
	Flags    string         `json:"flags,omitempty"`
	Tone     string         `json:"tone"` // what its answer is: good, bad, note or open
}

// A File is one of an example.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Add adds a file that read returns by its path. It reports whether it is there.
func (e *Example) Add(name string, read func(string) ([]byte, bool)) bool {
	text, ok := read(name)
	if ok {
		e.Files = append(e.Files, File{path.Base(name), string(text)})
	}
	return ok
}

// Examples returns all examples, with their texts.
var Examples = sync.OnceValue(func() []Example {
	var list []Example
	text, err := exampleFiles.ReadFile("examples/examples.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	for i := range list {
		for _, name := range list[i].Names {
			source, e := exampleFiles.ReadFile(path.Join("examples", name))
			if e != nil {
				panic(e) // it is embedded
			}
			list[i].Files = append(list[i].Files, File{name, string(source)})
		}
		list[i].Names = nil
	}
	if err != nil {
		panic(err)
	}
	return list
})

// Assets returns the files of the page, except for index.html.
var Assets = sync.OnceValue(func() fs.FS {
	files := fstest.MapFS{}
	add := func(name string, text []byte) {
		files[name] = &fstest.MapFile{Data: text, Mode: 0o444, ModTime: time.Time{}}
	}
	entries, err := assets.ReadDir("assets")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		text, err := assets.ReadFile("assets/" + e.Name())
		if err != nil {
			panic(err)
		}
		if e.Name() != "index.html" {
			add(e.Name(), text)
		}
	}
	add("picture.css", []byte(report.PictureCSS))
	examples, err := json.Marshal(Examples())
	if err != nil {
		panic(err)
	}
	add("examples.json", examples)
	return files
})

// Page returns index.html. The editor's own styles have this nonce.
func Page(nonce string) []byte {
	text, err := assets.ReadFile("assets/index.html")
	if err != nil {
		panic(err)
	}
	return []byte(strings.ReplaceAll(string(text), "{{nonce}}", nonce))
}
