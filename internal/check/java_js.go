package check

import (
	"fmt"

	"ravel/internal/ir"
)

// loadJava refuses programs in Java: the browser has no JDK.
func (c *Config) loadJava() (*ir.Program, error) {
	return nil, fmt.Errorf("%s: programs in Java are not checked in the browser, which has no JDK", c.Files[0])
}
