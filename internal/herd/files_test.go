package herd

// Files returns tests that are files.
func Files(names ...string) (tests []Source) {
	for _, n := range names {
		tests = append(tests, Source{File: n})
	}
	return tests
}
