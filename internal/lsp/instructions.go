package lsp

import (
	"fmt"
	"regexp"
	"strings"
)

// instructionHover says what an instruction of a litmus test orders, nil if it is not known to order anything.
func (s *server) instructionHover(d *document, off int) any {
	start := strings.LastIndexAny(d.text[:off], "|;\n") + 1
	end := len(d.text)
	if n := strings.IndexAny(d.text[off:], "|;\n"); n >= 0 {
		end = off + n
	}
	cell := d.text[start:end]
	if label := strings.IndexByte(cell, ':'); label >= 0 {
		cell, start = cell[label+1:], start+label+1
	}
	start += len(cell) - len(strings.TrimLeft(cell, " \t"))
	cell = strings.TrimSpace(cell)
	dialect, _, _ := strings.Cut(strings.TrimSpace(d.text), " ")
	text := instruction(dialect, strings.ToUpper(strings.Join(strings.Fields(cell), " ")))
	if text == "" {
		return nil
	}
	r := s.encoding.textRange(d.text, start, start+len(cell))
	return hoverResult{markup{"markdown", fmt.Sprintf("**%s**\n\n%s\n", cell, text)}, &r}
}

const (
	fullText    = "A full barrier: accesses before it are performed before accesses after it."
	loadsText   = "Loads before it are performed before accesses after it."
	storesText  = "Stores before it are performed before stores after it."
	acquireText = "It acquires: accesses after it are performed after it."
	releaseText = "It releases: accesses before it are performed before it."
	bothText    = "It acquires and releases: accesses before it are performed before it, accesses after it after it."
)

// instructions are what instructions order, by dialect; the first that matches counts.
var instructions = map[string][]struct {
	pattern *regexp.Regexp
	text    string
}{
	"AArch64": {
		{regexp.MustCompile(`^D[MS]B (ISH|SY|OSH|NSH)$`), fullText},
		{regexp.MustCompile(`^D[MS]B (ISH|OSH|NSH)?LD$`), loadsText},
		{regexp.MustCompile(`^D[MS]B (ISH|OSH|NSH)?ST$`), storesText},
		{regexp.MustCompile(`^ISB$`), "Loads after it wait for branches and addresses before it: after a control or address dependency, it orders loads."},
		{regexp.MustCompile(`^LDAPR`), acquireText + " It may be performed before an earlier STLR to another location."},
		{regexp.MustCompile(`^LDAX?[RP]`), acquireText + " It is performed after earlier STLRs."},
		{regexp.MustCompile(`^STLX?[RP]`), releaseText},
		{regexp.MustCompile(`^(CAS|SWP|LD(ADD|CLR|SET|EOR|[SU]MAX|[SU]MIN))AL`), "A read-modify-write. " + bothText},
		{regexp.MustCompile(`^(CAS|SWP|LD(ADD|CLR|SET|EOR|[SU]MAX|[SU]MIN))A`), "A read-modify-write. " + acquireText},
		{regexp.MustCompile(`^(CAS|SWP|LD(ADD|CLR|SET|EOR|[SU]MAX|[SU]MIN))L`), "A read-modify-write. " + releaseText},
	},
	"ARM": {
		{regexp.MustCompile(`^D[MS]B( ISH| SY)?$`), fullText},
		{regexp.MustCompile(`^D[MS]B (ISH)?ST$`), storesText},
		{regexp.MustCompile(`^ISB$`), "After a control or address dependency, it orders loads."},
	},
	"PPC": {
		{regexp.MustCompile(`^(HW)?SYNC$`), fullText + " Other threads see the accesses before it, also those that this thread read, before those after it."},
		{regexp.MustCompile(`^LWSYNC$`), "Accesses before it are performed before accesses after it, except stores before loads."},
		{regexp.MustCompile(`^EIEIO$`), storesText},
		{regexp.MustCompile(`^ISYNC$`), "After a control dependency, it orders loads."},
	},
	"X86": {
		{regexp.MustCompile(`^MFENCE$`), "The store buffer is emptied: stores before it are performed before loads after it. All else is in order anyway."},
		{regexp.MustCompile(`^[SL]FENCE$`), "It orders nothing that is not in order anyway, for accesses of ordinary memory."},
		{regexp.MustCompile(`^(LOCK |XCHG)`), "A read-modify-write at once. The store buffer is emptied before and after it."},
	},
	"RISCV": {
		{regexp.MustCompile(`^FENCE\.TSO`), "Loads before it are performed before accesses after it, stores before it before stores after it."},
		{regexp.MustCompile(`^FENCE(\.I)?$|^FENCE RW,\s?RW$`), fullText},
		{regexp.MustCompile(`^FENCE R,\s?RW$`), loadsText},
		{regexp.MustCompile(`^FENCE W,\s?W$`), storesText},
		{regexp.MustCompile(`^FENCE [RW]+,\s?[RW]+$`), "Accesses of the first kind before it (R loads, W stores) are performed before those of the second kind after it."},
		{regexp.MustCompile(`\.AQ\.?RL\b`), bothText},
		{regexp.MustCompile(`\.AQ\b`), acquireText},
		{regexp.MustCompile(`\.RL\b`), releaseText},
	},
	"MIPS": {{regexp.MustCompile(`^SYNC$`), fullText}},
}

func instruction(dialect, text string) string {
	if dialect == "X86_64" {
		dialect = "X86"
	}
	for _, i := range instructions[dialect] {
		if i.pattern.MatchString(text) {
			return i.text
		}
	}
	return ""
}
