package llvm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Object files and archives: the bitcode in them is what ravel reads. Compilers write it instead of machine code (clang -flto) or beside it, in a section of its own
// (clang -fembed-bitcode, rustc).

var (
	bitcodeMagic = []byte("BC\xc0\xde")
	wrapperMagic = []byte("\xde\xc0\x17\x0b")
	archiveMagic = []byte("!<arch>\n")
)

// A member is an object in an archive.
type member struct {
	name string
	text []byte
}

// loadObjects reads an object file or an archive. The modules of an archive are there for those that need them.
func loadObjects(file string, opts Options) (mods []*Module, notes []string, err error) {
	text, err := os.ReadFile(opts.path(file))
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(text, []byte("!<thin>\n")) {
		return nil, nil, fmt.Errorf("%s is a thin archive, which only names its objects: give these", file)
	}
	members := []member{{file, text}}
	archive := bytes.HasPrefix(text, archiveMagic)
	if archive {
		if members, err = archiveMembers(file, text); err != nil {
			return nil, nil, err
		}
	}
	dir, err := os.MkdirTemp("", "ravel")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	for i, o := range members {
		code, err := bitcodeOf(o)
		if err != nil {
			return nil, nil, err
		}
		bc := filepath.Join(dir, strconv.Itoa(i)+".bc")
		if err := os.WriteFile(bc, code, 0o600); err != nil {
			return nil, nil, err
		}
		ir, note, err := disassemble(bc, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.name, err)
		}
		m, err := Parse(o.name+" (as LLVM IR)", adaptRust(ir))
		if err != nil {
			return nil, nil, err
		}
		m.archived = archive
		mods, notes = append(mods, m), append(notes, note)
	}
	return mods, notes, nil
}

// bitcodeOf returns the bitcode of an object.
func bitcodeOf(o member) ([]byte, error) {
	code := o.text
	if bytes.HasPrefix(code, bitcodeMagic) || bytes.HasPrefix(code, wrapperMagic) {
		return code, nil
	}
	code, err := sectionOf(o)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(code, bitcodeMagic) && !bytes.HasPrefix(code, wrapperMagic) {
		return nil, fmt.Errorf("%s has machine code and no bitcode: compile it with clang -g -O0 -flto -c, or give the sources", o.name)
	}
	// A linker that joins objects puts their sections behind each other.
	for at := 4; at+4 <= len(code); at += 4 {
		if bytes.Equal(code[at:at+4], bitcodeMagic) && !bytes.HasPrefix(code, wrapperMagic) {
			return nil, fmt.Errorf("%s is linked from several objects: give these", o.name)
		}
	}
	return code, nil
}

// archiveMembers returns the objects of an archive (ar, in the forms of System V and BSD).
func archiveMembers(file string, text []byte) (list []member, err error) {
	const header = 60
	var names []byte // long ones
	for at := len(archiveMagic); at < len(text); {
		if at+header > len(text) || text[at+58] != '`' {
			return nil, fmt.Errorf("%s: the archive is broken at byte %d", file, at)
		}
		h := text[at : at+header]
		size, err := strconv.Atoi(strings.TrimSpace(string(h[48:58])))
		if at += header; err != nil || size < 0 || size > len(text)-at {
			return nil, fmt.Errorf("%s: the archive is broken at byte %d", file, at-header)
		}
		body := text[at : at+size]
		at += size + size%2
		name := strings.TrimRight(string(h[:16]), " ")
		switch {
		case name == "/" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF"):
			continue // the index
		case name == "//":
			names = body
			continue
		case strings.HasPrefix(name, "#1/"):
			n, err := strconv.Atoi(name[3:])
			if err != nil || n < 0 || n > len(body) {
				return nil, fmt.Errorf("%s: the archive is broken: %s", file, name)
			}
			name, body = strings.TrimRight(string(body[:n]), "\x00"), body[n:]
			if strings.HasPrefix(name, "__.SYMDEF") {
				continue
			}
		case len(name) > 1 && name[0] == '/':
			n, err := strconv.Atoi(name[1:])
			if err != nil || n < 0 || n > len(names) {
				return nil, fmt.Errorf("%s: the archive is broken: %s", file, name)
			}
			line, _, _ := bytes.Cut(names[n:], []byte("\n"))
			name = string(line)
		}
		list = append(list, member{fmt.Sprintf("%s(%s)", file, strings.TrimSuffix(name, "/")), body})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the archive has no objects", file)
	}
	return list, nil
}

// needed leaves out the modules of archives that define nothing which others lack, as linkers do.
func needed(mods []*Module) []*Module {
	defined, lacking := map[string]bool{}, map[string]bool{}
	add := func(m *Module) {
		for _, s := range m.order {
			switch {
			case s.decl && !s.implied:
				lacking[s.name] = true
			case !s.decl && s.link != linkLocal:
				defined[s.name] = true
			}
		}
	}
	taken := map[*Module]bool{}
	for _, m := range mods {
		if !m.archived {
			taken[m] = true
			add(m)
		}
	}
	if !defined["main"] {
		lacking["main"] = true
	}
	serves := func(m *Module) bool {
		for _, s := range m.order {
			if !s.decl && s.link != linkLocal && lacking[s.name] && !defined[s.name] {
				return true
			}
		}
		return false
	}
	for more := true; more; {
		more = false
		for _, m := range mods {
			if !taken[m] && serves(m) {
				taken[m], more = true, true
				add(m)
			}
		}
	}
	var list []*Module
	for _, m := range mods {
		if taken[m] {
			list = append(list, m)
		}
	}
	return list
}
