//go:build !unix

package states

import (
	"errors"
	"os"
)

// mapFile fails: tables stay in memory.
func mapFile(*os.File, int) ([]byte, error) {
	return nil, errors.New("files are not mapped into memory on this system")
}

func unmapFile([]byte) error { return nil }
