package jmm

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
)

// A Scheme says what the methods of VarHandle become on a processor: its table in package arch, by the modes of C11 that are most like Java's.
type Scheme struct {
	*arch.Dialect
	*arch.Mapping
	Name   string
	Target string
	title  string
}

var targets = []struct {
	name, title string
	arch        arch.Name
}{
	{"x86", "mov; volatile writes are followed by mfence; locked instructions", arch.X86_64},
	{"aarch64", "ldar and stlr; casal and the other atomic instructions; dmb", arch.AArch64},
	{"power", "sync before volatile accesses; lwsync after acquire reads and before release writes; lwarx and stwcx.", arch.PPC},
	{"riscv", "fences around acquire, release and volatile accesses; lr and sc with .aq and .rl", arch.RISCV},
}

//go:embed schemes/*.scheme
var schemeFiles embed.FS

// Targets lists the processors that there are schemes for. The scheme of a target that has its name is the usual one.
func Targets() (names []string) {
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// Schemes lists the other schemes that have a name.
func Schemes() (names []string) {
	files, _ := schemeFiles.ReadDir("schemes")
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".scheme"))
	}
	return names
}

// LoadScheme returns the scheme of a name, or that of a file.
func LoadScheme(name string) (*Scheme, error) {
	if s := usual(name); s != nil {
		return s, nil
	}
	text, err := schemeFiles.ReadFile("schemes/" + name + ".scheme")
	if err != nil {
		if text, err = os.ReadFile(name); err != nil {
			return nil, fmt.Errorf("no scheme %q: it is a file, or one of %s", name, strings.Join(append(Targets(), Schemes()...), ", "))
		}
	}
	return parseScheme(name, string(text))
}

// usual returns the usual scheme for a target, nil if there is none.
func usual(target string) *Scheme {
	for _, t := range targets {
		if t.name == target {
			d := arch.Of(t.arch)
			return &Scheme{d, d.Java, target, target, t.title}
		}
	}
	return nil
}

// schemeModes are the methods that a scheme may say something about, and the modes that they stand for.
var schemeModes = map[string]event.Mode{"": event.NA, "Opaque": event.Rlx, "Acquire": event.Acq, "Release": event.Rel, "Volatile": event.SC}

// parseScheme reads a scheme: its target, and for each method that differs from the usual scheme what it becomes.
func parseScheme(file, text string) (*Scheme, error) {
	var s *Scheme
	n := 0
	fail := func(format string, args ...any) (*Scheme, error) {
		return nil, fmt.Errorf("%s:%d: %s", file, n, fmt.Sprintf(format, args...))
	}
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		left, right, ok := strings.Cut(strings.TrimSpace(line), "=")
		left, right = strings.TrimSpace(left), strings.TrimSpace(right)
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case !ok:
			return fail("a line is METHOD = INSTRUCTION; INSTRUCTION …, or target = NAME, or title = TEXT")
		case left == "target":
			base := usual(right)
			if base == nil {
				return fail("no target %q: there are %s", right, strings.Join(Targets(), ", "))
			}
			m := *base.Mapping
			s = &Scheme{base.Dialect, &m, strings.TrimSuffix(filepath.Base(file), ".scheme"), right, "that of " + right + " with changes"}
		case s == nil:
			return fail("the first line is target = NAME")
		case left == "title":
			s.title = right
		default:
			if err := s.set(left, right); err != nil {
				return fail("%v", err)
			}
		}
	}
	if s == nil {
		return fail("the first line is target = NAME")
	}
	return s, nil
}

// set makes a method what the instructions say.
func (s *Scheme) set(method, code string) error {
	var before, after []event.Tag
	access := ""
	for _, in := range strings.Split(code, ";") {
		in = strings.TrimSpace(in)
		if in == "" {
			continue
		}
		if tag := s.fenceNamed(in); tag != event.NoTag {
			if access == "" {
				before = append(before, tag)
			} else {
				after = append(after, tag)
			}
			continue
		}
		if access != "" {
			return fmt.Errorf("%q is no fence of %s, and %q is the access already", in, s.Title, access)
		}
		access = in
	}
	one := func(tags []event.Tag) (event.Tag, error) {
		switch len(tags) {
		case 0:
			return event.NoTag, nil
		case 1:
			return tags[0], nil
		}
		return 0, fmt.Errorf("there is at most one fence on each side of an access: %s", code)
	}
	first, err := one(before)
	if err != nil {
		return err
	}
	second, err := one(after)
	if err != nil {
		return err
	}
	if kind, fence := map[string]event.Mode{"fullFence": event.SC, "acquireFence": event.Acq, "releaseFence": event.Rel}[method]; fence || method == "loadLoadFence" || method == "storeStoreFence" {
		switch {
		case access != "":
			return fmt.Errorf("%q is no fence of %s", access, s.Title)
		case method == "loadLoadFence":
			s.LoadLoad = first
		case method == "storeStoreFence":
			s.StoreStore = first
		default:
			s.Mapping.Fence[kind] = first
		}
		return nil
	}
	for _, k := range []struct {
		prefix string
		modes  *arch.Modes
		names  map[event.Tag]string
	}{{"get", &s.Load, s.Asm.Load}, {"set", &s.Store, s.Asm.Store}} {
		rest, ok := strings.CutPrefix(method, k.prefix)
		mode, known := schemeModes[rest]
		if !ok || !known {
			continue
		}
		for mark, name := range k.names {
			if name == access {
				k.modes[mode] = arch.Access{Mark: mark, Before: first, After: second}
				return nil
			}
		}
		return fmt.Errorf("%s has no instruction %q for %s: there are %s", s.Title, access, method, strings.Join(slices.Sorted(maps.Values(k.names)), ", "))
	}
	if rest, ok := strings.CutPrefix(method, "update"); ok && access == "update" {
		if rest == "" {
			rest = "Volatile"
		}
		if mode, known := schemeModes[rest]; known {
			s.Read[mode].Before, s.Write[mode].After = first, second
			return nil
		}
	}
	return fmt.Errorf("what is %q? A scheme has get, getOpaque, getAcquire, getVolatile, set, setOpaque, setRelease, setVolatile, update, updateAcquire, updateRelease, and the fences", method)
}

// fenceNamed returns the fence that is written so, NoTag if there is none.
func (s *Scheme) fenceNamed(asm string) event.Tag {
	for _, f := range s.Fences {
		if f.Tag != event.NoTag && (f.Asm == asm || f.Asm == "sync" && asm == "hwsync") {
			return f.Tag
		}
	}
	return event.NoTag
}

// fenceOf returns what a method that is a fence becomes; NoTag is no instruction.
func (s *Scheme) fenceOf(method string) event.Tag {
	switch method {
	case "fullFence":
		return s.Mapping.Fence[event.SC]
	case "acquireFence":
		return s.Mapping.Fence[event.Acq]
	case "releaseFence":
		return s.Mapping.Fence[event.Rel]
	case "loadLoadFence":
		return s.LoadLoad
	case "storeStoreFence":
		return s.StoreStore
	}
	return event.NoTag
}

// sets returns the sets of an access of which a is the mode, with more of them before.
func (s *Scheme) sets(a arch.Access, more ...string) []string {
	if name := s.Marks[a.Mark]; name != "" {
		more = append(more, name)
	}
	return more
}

// updateSets returns the sets of a half of a read-modify-write.
func (s *Scheme) updateSets(a arch.Access) []string {
	if s.Locked {
		return s.sets(a, "X")
	}
	return s.sets(a, "X", "EX")
}

// modeOf returns the mode of an access in these sets of Java's.
func modeOf(sets []string) event.Mode {
	switch {
	case slices.Contains(sets, "V"):
		return event.SC
	case slices.Contains(sets, "ACQ"):
		return event.Acq
	case slices.Contains(sets, "REL"):
		return event.Rel
	case slices.Contains(sets, "O"):
		return event.Rlx
	}
	return event.NA
}

// instruction is the name of the one that performs a method of a variable that reads and writes.
func (s *Scheme) instruction(text string) string {
	_, rest, _ := strings.Cut(text, ".")
	method, _, _ := strings.Cut(rest, "(")
	method = strings.TrimSuffix(strings.TrimSuffix(method, "Acquire"), "Release")
	if strings.Contains(method, "ompareAnd") {
		method = "compare"
	}
	if name, ok := s.Asm.Updates[method]; ok {
		return name
	}
	return s.Asm.Updates["other"]
}
