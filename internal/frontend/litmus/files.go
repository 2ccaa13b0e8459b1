package litmus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the tests that a path stands for: a .litmus file itself; of a folder all in it and below; of an
// index, a file whose name begins with @, those it lists, one on a line, relative to it, # for comments.
func Files(path string) ([]string, error) { return files(path, nil) }

func files(path string, open []string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		var list []string
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(p, ".litmus") {
				list = append(list, p)
			}
			return err
		})
		return list, err
	case !strings.HasPrefix(filepath.Base(path), "@"):
		return []string{path}, nil
	}
	if slices.Contains(open, path) {
		return nil, fmt.Errorf("%s: this index lists itself", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(filepath.Dir(path), line)
		}
		more, err := files(line, append(open, path))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		list = append(list, more...)
	}
	return list, nil
}
