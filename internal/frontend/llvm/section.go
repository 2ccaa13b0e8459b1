//go:build !js

package llvm

// This file is not part of ravel for the browser: debug/elf has large tables, which every start of the WebAssembly would make.

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"fmt"
)

// sectionOf returns the section of an object file that has its bitcode, nil if it has none.
func sectionOf(o member) (code []byte, err error) {
	if bytes.HasPrefix(o.text, []byte(elf.ELFMAG)) {
		f, err := elf.NewFile(bytes.NewReader(o.text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
		if s := f.Section(".llvmbc"); s != nil {
			if code, err = s.Data(); err != nil {
				return nil, fmt.Errorf("%s: %w", o.name, err)
			}
		}
		return code, nil
	}
	f, err := macho.NewFile(bytes.NewReader(o.text))
	if err != nil {
		return nil, fmt.Errorf("%s: this is not an object file: it has neither bitcode nor a header of ELF or Mach-O", o.name)
	}
	if s := f.Section("__bitcode"); s != nil {
		if code, err = s.Data(); err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return code, nil
}
