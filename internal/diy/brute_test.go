package diy

import (
	"fmt"
	"strings"

	"ravel/internal/brute"
)

// bruteFences are the fences of brute, by our names.
var bruteFences = map[string]string{
	"DMB.SY": "dmb.sy", "DMB.LD": "dmb.ld", "DMB.ST": "dmb.st", "DSB.SY": "dsb.sy", "DSB.LD": "dsb.ld", "DSB.ST": "dsb.st", "ISB": "isb",
	"DMB": "dmb.sy", "DSB": "dsb.sy", "Sync": "sync", "LwSync": "lwsync", "Eieio": "eieio", "ISync": "isync",
	"MFence": "sc", "FenceAcq": "acq", "FenceRel": "rel", "FenceAcqRel": "acqrel", "FenceSc": "sc",
}

var bruteModes = map[string]string{"A": ".A", "Q": ".Q", "L": ".L", "Aq": ".A", "Rl": ".L", "Rlx": ".rlx", "Acq": ".acq", "Rel": ".rel", "Sc": ".sc", "Na": ".na"}

// bruteRmw are the modes of exchanges in brute, or "" if it has none like it: in C, on X86, where all are locked, and for single instructions.
func bruteRmw(a *Arch, e *Edge) string {
	switch {
	case a == C:
		return map[string]string{"Rlx": ".rlx", "Acq": ".acq", "Rel": ".rel", "AcqRel": ".acqrel", "Sc": ".sc"}[a.rmwMode(e.From, e.To)]
	case a == X86 || a == X86_64:
		return ".sc"
	case e.Via == "Amo.Swp" || e.Via == "Amo.Swap":
		return map[string]string{"": ".rlx", "A": ".A", "L": ".L", "AL": ".aqrl", "Aq": ".A", "Rl": ".L", "AqRl": ".aqrl"}[e.From.Mode+e.To.Mode]
	}
	return ""
}

// bruteProgram writes a cycle in brute's notation, with the outcome. It shares nothing with Litmus but the values. ok is false if
// brute lacks something.
func bruteProgram(c *Cycle) (program, outcome string, ok bool) {
	if c.mixed {
		return "", "", false
	}
	var threads, conds []string
	for ti, list := range c.threads() {
		var stmts []string
		prev, last, blocks := "", uint64(0), 0
		for k := 0; k < len(list); k++ {
			i := list[k]
			n := &c.Nodes[i]
			loc, val := locNames[n.Loc], fmt.Sprint(n.Value)
			if k > 0 {
				switch e := &c.Edges[i-1]; {
				case e.Kind == Fenced:
					f, ok := bruteFences[e.Via]
					if !ok {
						f = strings.ToLower(e.Via)
					}
					stmts = append(stmts, "F."+f)
				case e.Kind != Dep:
				case e.Via == "Addr":
					loc = fmt.Sprintf("[%s+%s]", loc, prev)
				case e.Via == "Data":
					val = fmt.Sprintf("%s*0+%d", prev, n.Value)
				default:
					stmts = append(stmts, fmt.Sprintf("if(%s==%d){", prev, last))
					blocks++
					if f := map[string]string{"CtrlIsb": "isb", "CtrlIsync": "isync", "CtrlFenceI": "fence.i"}[e.Via]; f != "" {
						stmts = append(stmts, "F."+f)
					}
				}
			}
			if e := &c.Edges[i]; n.Dir == R && e.Kind == Rmw {
				mode := bruteRmw(c.Arch, e)
				if mode == "" || k+1 == len(list) {
					return "", "", false
				}
				prev, last = fmt.Sprintf("r%d", i), n.Value
				stmts = append(stmts, fmt.Sprintf("%s=XCHG(%s,%d)%s", prev, loc, c.Nodes[i+1].Value, mode))
				conds = append(conds, fmt.Sprintf("%d:%s=%d", ti, prev, n.Value))
				k++
				continue
			}
			mode, known := bruteModes[n.Annot.Mode]
			if n.Annot.Mode != "" && !known {
				return "", "", false
			}
			if n.Dir == W {
				stmts = append(stmts, fmt.Sprintf("%s=%s%s", loc, val, mode))
				continue
			}
			prev, last = fmt.Sprintf("r%d", i), n.Value
			stmts = append(stmts, fmt.Sprintf("%s=%s%s", prev, loc, mode))
			if c.observed(n) {
				conds = append(conds, fmt.Sprintf("%d:%s=%d", ti, prev, n.Value))
			}
		}
		text := strings.Join(stmts, "; ") + strings.Repeat("}", blocks)
		threads = append(threads, strings.ReplaceAll(text, "{; ", "{"))
	}
	obs := c.observers()
	for _, l := range sortedKeys(obs) {
		var stmts []string
		for k, v := range obs[l] {
			stmts = append(stmts, fmt.Sprintf("q%d=%s", k, locNames[l]))
			conds = append(conds, fmt.Sprintf("%d:q%d=%d", len(threads), k, v))
		}
		threads = append(threads, strings.Join(stmts, "; "))
	}
	for l, list := range c.order {
		if v, needed := c.final(list); needed {
			conds = append(conds, fmt.Sprintf("%s=%d", locNames[l], v))
		}
	}
	return strings.Join(threads, " || "), strings.Join(conds, "&"), true
}

// bruteAllowed asks the brute-force enumerator.
func bruteAllowed(c *Cycle, m brute.Model) (allowed, ok bool, err error) {
	text, outcome, ok := bruteProgram(c)
	if !ok {
		return false, false, nil
	}
	p, err := brute.Parse(text)
	if err != nil {
		return false, true, err
	}
	for _, e := range brute.Enumerate(p, m) {
		if holds, err := e.Holds(outcome); err != nil || holds {
			return holds, true, err
		}
	}
	return false, true, nil
}
