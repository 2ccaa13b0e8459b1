package justify

import (
	"testing"

	"ravel/internal/short"
)

func TestMain(m *testing.M) { short.Main(m, programs) }
