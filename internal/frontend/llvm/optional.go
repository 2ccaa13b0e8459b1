package llvm

// optionals are functions of the library that only programs need that call another one. In other programs the machine knows them, and they do nothing.
var optionals = map[string]struct{ by, name string }{
	"__ravel_if_cancellable": {"pthread_cancel", "__ravel_cancellable"},
	"__ravel_if_cancelled":   {"pthread_cancel", "__ravel_cancelled"},
	"__ravel_if_cleanups":    {"__pthread_register_cancel", "__ravel_cleanups"},
	"sleep":                  {"pthread_cancel", "__ravel_sleep"},
	"usleep":                 {"pthread_cancel", "__ravel_usleep"},
	"nanosleep":              {"pthread_cancel", "__ravel_nanosleep"},
	"clock_nanosleep":        {"pthread_cancel", "__ravel_clock_nanosleep"},
}

// optional returns the function that s stands for in a program that needs it, or nil.
func (lk *linker) optional(s *symbol) *symbol {
	o, ok := optionals[s.name]
	if !ok || !s.decl {
		return nil
	}
	for _, m := range lk.mods {
		if !m.runtime && m.syms[o.by] != nil {
			return lk.defs[o.name]
		}
	}
	return nil
}
