//go:build !js

package check

// This file is not part of ravel for the browser, which has no JDK.

import (
	"ravel/internal/frontend/jvm"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	rt "ravel/internal/runtime"
)

// loadJava reads and compiles a program in Java.
func (c *Config) loadJava() (*ir.Program, error) {
	if err := c.findFiles(); err != nil {
		return nil, err
	}
	return jvm.Load(c.Files, jvm.Options{
		Ctx: c.Ctx, Dir: c.Dir, Flags: c.CompilerFlags, Sources: c.Sources, Sealed: c.Sealed,
		Library: func(names []string) (*ir.Program, error) { return llvm.Library(rt.Library(), names) },
	})
}
