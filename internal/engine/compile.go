package engine

import (
	"fmt"

	"ravel/internal/cache"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// minKept is from how many instructions on the code of a program is kept: it takes longer to make that of larger ones than to find it.
const minKept = 1000

// Compile is machine.Compile. It keeps the code of large programs in o.Cache, under a name that the contents of the program are part of.
func (o *Options) Compile(p *ir.Program, opts machine.Options) (*machine.Program, error) {
	key, ok := o.keyOf(p, opts)
	if !ok {
		return machine.Compile(p, opts)
	}
	if data, ok := o.Cache.Get(key); ok {
		if prog, err := machine.Decode(p, opts, data); err == nil {
			return prog, nil
		}
	}
	prog, err := machine.Compile(p, opts)
	if err != nil {
		return nil, err
	}
	if data, err := prog.Encode(); err == nil {
		o.Cache.Put(key, data)
	}
	return prog, nil
}

// keyOf returns the name of the code of p, not ok if that is not to be kept.
func (o *Options) keyOf(p *ir.Program, opts machine.Options) (key cache.Key, ok bool) {
	if o.Cache == nil || cache.Binary() == "" || opts.Layout != nil {
		return key, false
	}
	size := 0
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			size += len(b.Instrs)
		}
	}
	if size < minKept {
		return key, false
	}
	text, err := p.Encode()
	if err != nil {
		return key, false
	}
	return cache.KeyOf("code", cache.Binary(), string(text), fmt.Sprintf("%+v", opts)), true
}
