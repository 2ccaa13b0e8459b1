package diy

import (
	"fmt"
	"strings"
)

// A Dir is the direction of an access: R or W.
type Dir byte

const (
	R Dir = 'R'
	W Dir = 'W'
)

// A Kind is what an edge is.
type Kind uint8

const (
	Rf Kind = iota
	Fr
	Co
	Po
	Fenced
	Dep
	Rmw
)

// An Annot is the annotation of an access: what it does beyond a plain one, and its size.
type Annot struct {
	Mode  string // of the architecture: A, Acq, Once …; "" is plain, or the default of a language
	Size  uint8  // in bytes; 0 is the usual one
	Off   uint8  // of the first byte in the location
	Given bool   // written in the text: another one may not replace it
}

// An Edge is a relaxation edge, from one access to the next of the cycle.
type Edge struct {
	Kind     Kind
	Via      string // the name of a fence, dependency or read-modify-write
	Ext      bool   // between threads
	Leave    bool   // communication with a thread of one access, from which the next edge comes back
	Back     bool   // that edge
	Same     bool   // the same location
	Src, Dst Dir
	From, To Annot // after Parse those of the accesses
	text     string
	off      int // in the text of the cycle
}

// com reports whether the edge is communication: rf, co or fr.
func (e *Edge) com() bool { return e.Kind <= Co }

func letter(same bool) string {
	if same {
		return "s"
	}
	return "d"
}

// base is the name of an edge without annotations.
func (e *Edge) base() string {
	switch e.Kind {
	case Rf, Fr, Co:
		return [...]string{"Rf", "Fr", "Co"}[e.Kind] + e.where()
	case Po:
		return "Po" + letter(e.Same) + string(e.Src) + string(e.Dst)
	case Fenced:
		return e.Via + letter(e.Same) + string(e.Src) + string(e.Dst)
	case Dep:
		return "Dp" + e.Via + letter(e.Same) + string(e.Dst)
	}
	return e.Via
}

// where says between which threads communication is.
func (e *Edge) where() string {
	switch {
	case e.Leave:
		return "Leave"
	case e.Back:
		return "Back"
	case e.Ext:
		return "e"
	}
	return "i"
}

// edge is an edge as a user writes it.
func (a *Arch) edge(e *Edge) string {
	if e.From.plain() && e.To.plain() {
		return e.base()
	}
	return e.base() + a.annotName(e.From) + a.annotName(e.To)
}

func (a Annot) plain() bool { return a.Mode == "" && a.Size == 0 }

// String is the annotation as a user writes it; "" if it is plain.
func (a Annot) String() string {
	s := a.Mode
	if a.Size == 0 {
		return s
	}
	if s != "" {
		s += "."
	}
	return s + map[uint8]string{1: "b", 2: "h", 4: "w", 8: "q"}[a.Size] + fmt.Sprint(a.Off)
}

// parseEdge reads an edge. The error has no position.
func (a *Arch) parseEdge(s string) (Edge, error) {
	e, rest, err := a.parseBase(s)
	if err != nil || rest == "" {
		return e, err
	}
	for i := 1; i < len(rest); i++ {
		from, ok1 := a.parseAnnot(rest[:i])
		to, ok2 := a.parseAnnot(rest[i:])
		if ok1 && ok2 {
			e.From, e.To = from, to
			return e, nil
		}
	}
	if _, ok := a.parseAnnot(rest); ok {
		return e, fmt.Errorf("%q: annotations come in pairs, of the source and of the target: %s%s%s", s, strings.TrimSuffix(s, rest), rest, rest)
	}
	return e, fmt.Errorf("%q: %q are not two annotations of %s%s", s, rest, a.Name, a.annotHelp())
}

// parseBase reads an edge except for its annotations, which are the rest.
func (a *Arch) parseBase(s string) (Edge, string, error) {
	for i, name := range []string{"Rf", "Fr", "Co", "Ws"} {
		rest, ok := strings.CutPrefix(s, name)
		if !ok {
			continue
		}
		k := Kind(min(i, int(Co)))
		e := Edge{Kind: k, Same: true, Src: W, Dst: W}
		for _, w := range []struct {
			text string
			flag *bool
		}{{"e", &e.Ext}, {"Leave", &e.Leave}, {"Back", &e.Back}, {"i", new(bool)}} {
			if rest, ok = strings.CutPrefix(rest, w.text); ok {
				*w.flag = true
				break
			}
		}
		if !ok {
			continue
		}
		switch k {
		case Rf:
			e.Dst = R
		case Fr:
			e.Src = R
		}
		return e, rest, nil
	}
	if rest, ok := strings.CutPrefix(s, "Po"); ok {
		if e, rest, ok := locDirs(Edge{Kind: Po}, rest); ok {
			return e, rest, nil
		}
	}
	if rest, ok := strings.CutPrefix(s, "Dp"); ok {
		return a.parseDep(s, rest)
	}
	for _, f := range a.fences() {
		if rest, ok := strings.CutPrefix(s, f); ok {
			if e, rest, ok := locDirs(Edge{Kind: Fenced, Via: f}, rest); ok {
				return e, rest, nil
			}
		}
	}
	for _, m := range a.rmws {
		if rest, ok := strings.CutPrefix(s, m); ok {
			return Edge{Kind: Rmw, Via: m, Same: true, Src: R, Dst: W}, rest, nil
		}
	}
	return Edge{}, "", a.unknown(s)
}

func (a *Arch) parseDep(s, rest string) (Edge, string, error) {
	for _, d := range a.depNames() {
		r, ok := strings.CutPrefix(rest, d)
		if !ok || len(r) < 2 || r[0] != 's' && r[0] != 'd' || r[1] != 'R' && r[1] != 'W' {
			continue
		}
		e := Edge{Kind: Dep, Via: a.deps[d], Same: r[0] == 's', Src: R, Dst: Dir(r[1])}
		if e.Via == "Data" && e.Dst == R {
			return e, "", fmt.Errorf("%q: a data dependency ends in a write", s)
		}
		return e, r[2:], nil
	}
	if len(a.deps) == 0 {
		return Edge{}, "", fmt.Errorf("%q: tests of %s have no dependencies", s, a.Name)
	}
	return Edge{}, "", fmt.Errorf("%q: the dependencies of %s are Dp followed by %s, then s or d, then R or W: DpAddrdR", s, a.Name, strings.Join(a.depNames(), ", "))
}

// locDirs reads s or d and two directions.
func locDirs(e Edge, s string) (Edge, string, bool) {
	if len(s) < 3 || s[0] != 's' && s[0] != 'd' || s[1] != 'R' && s[1] != 'W' || s[2] != 'R' && s[2] != 'W' {
		return e, "", false
	}
	e.Same, e.Src, e.Dst = s[0] == 's', Dir(s[1]), Dir(s[2])
	return e, s[3:], true
}

var sizes = map[byte]uint8{'b': 1, 'h': 2, 'w': 4, 'q': 8}

// parseAnnot reads an annotation: a mode, a size with its offset, or both with a dot between.
func (a *Arch) parseAnnot(s string) (Annot, bool) {
	mode, size, both := strings.Cut(s, ".")
	if !both && len(s) == 2 && sizes[s[0]] > 0 {
		mode, size = "", s
	}
	n := Annot{Given: true}
	if mode == "P" {
		mode = ""
		if a.plainMode != "" {
			mode = a.plainMode
		}
	} else if mode != "" && a.modes[mode] == "" {
		return n, false
	}
	n.Mode = mode
	if size == "" {
		return n, s != ""
	}
	if !a.sized || len(size) != 2 || sizes[size[0]] == 0 || size[1] < '0' || size[1] > '7' {
		return n, false
	}
	n.Size, n.Off = sizes[size[0]], size[1]-'0'
	return n, n.Off%n.Size == 0
}
