//go:build !linux

package serve

import (
	"errors"

	"ravel/internal/play"
)

func canConfine() bool { return false }

func confine(play.Limits) error { return errors.New("this system cannot confine compilers") }
