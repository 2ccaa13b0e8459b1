package llvm

import "fmt"

// sectionOf refuses object files: the browser has none.
func sectionOf(o member) ([]byte, error) {
	return nil, fmt.Errorf("%s: object files are not read in the browser", o.name)
}
