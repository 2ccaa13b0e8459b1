package enumerate

import (
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/cat"
	"ravel/internal/litmus"
)

// baseSets and baseRels are what every execution defines; M, id and ext follow from them.
var (
	baseSets = []string{"R", "W", "F", "IW", "FW", "Tested", "Exp", "NExp"}
	baseRels = []string{
		"po", "int", "loc", "rf", "co", "addr", "data", "ctrl", "rmw", "amo", "lxsx", "same-instance", "si", "sm",
		"pick-addr", "pick-data", "pick-rmw", "select", "pair-order", "rfe-lf", "rfe-rl", "rfe-ru", "lock-co",
	}
)

// systemVariants are variants of herd's that make events which we do not have.
var systemVariants = map[string]string{
	"vmsa": "virtual memory", "kvm": "virtual memory", "memtag": "memory tagging", "mte": "memory tagging", "MTE": "memory tagging",
	"ifetch": "instructions as data", "self": "instructions as data", "pac": "pointer authentication", "sve": "vectors", "neon": "vectors",
	"sme": "streaming mode", "morello": "capabilities",
}

// systemRels are relations of herd's that are empty here, for the same reason as systemSets.
var systemRels = fields("inv-domain same-translation-context alias PTEtoPA")

// systemSets are sets of herd's that are empty here: tests with such events are refused.
func systemSets(a litmus.Arch) []string {
	if a == litmus.C {
		return fields("LK LS") // mutexes of C11
	}
	if !isMachine(a) {
		return nil
	}
	sets := fields("T TLBI TLBIIS TLBInXS FAULT FAULT-RD FAULT-WR EXC-ENTRY EXC-RET SVC UndefinedInstruction TagCheck SPEC EXEC SPURIOUS CutOff no-loc")
	if a == litmus.AArch64 {
		sets = slices.Concat(sets, suffixed("DC.", "CVAU CIVAC CVAC IVAC ZVA"), suffixed("IC.", "IALLU IALLUIS IVAU"), fields("GCSB.DSYNC GCS S"))
	}
	return sets
}

// archSets are the sets that the operations of a dialect's tests may be in.
var archSets = func() map[litmus.Arch][]string {
	m := map[litmus.Arch][]string{}
	for _, d := range arch.Dialects {
		m[d.Name] = d.AllSets()
	}
	return m
}()

func fields(s string) []string { return strings.Fields(s) }

func suffixed(prefix, names string) []string {
	var out []string
	for n := range strings.FieldsSeq(names) {
		out = append(out, prefix+n)
	}
	return out
}

var vocabularies = func() map[litmus.Arch]*cat.Vocabulary {
	m := map[litmus.Arch]*cat.Vocabulary{}
	for _, d := range arch.Dialects {
		sets, rels := d.AllSets(), baseRels
		if d.Processor {
			sets, rels = slices.Concat(sets, insideSets), slices.Concat(rels, insideRels)
		}
		m[d.Name] = cat.NewVocabulary(slices.Concat(baseSets, sets), rels)
	}
	return m
}()

// vocabulary returns what executions of a test define. The tags of LISA are those of the test and of the
// model's bell file, and its scopes are relations.
func vocabulary(t *litmus.Test, bell *cat.Bell) *cat.Vocabulary {
	if t.Arch != litmus.LISA {
		return vocabularies[t.Arch]
	}
	sets := slices.Concat(baseSets, archSets[litmus.LISA])
	rels := slices.Clone(baseRels)
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, th := range t.Threads {
		for i := range th.Ops {
			for _, s := range th.Ops[i].Sets {
				add(&sets, s)
			}
		}
	}
	if bell != nil {
		for enum, tags := range bell.Enums {
			for _, tag := range tags {
				if enum == "scopes" {
					add(&rels, tag)
				} else {
					add(&sets, cat.EventsOfTag(tag))
				}
			}
		}
	}
	slices.Sort(sets)
	slices.Sort(rels)
	return cat.NewVocabulary(sets, rels)
}

// Dialects returns what a model may be for: the tests of each dialect. A bell file, if there is one, runs before the model.
func Dialects(bell *cat.Model) []cat.Dialect {
	var list []cat.Dialect
	for _, d := range arch.Dialects {
		voc := vocabularies[d.Name]
		if d.Name == litmus.LISA {
			empty := &litmus.Test{Arch: litmus.LISA}
			var declared *cat.Bell
			if bell != nil {
				if p, err := cat.Compile(bell, vocabulary(empty, nil), cat.Options{}); err == nil {
					declared = &p.Bell
				}
			}
			voc = vocabulary(empty, declared)
		}
		list = append(list, cat.Dialect{Vocabulary: voc, Options: cat.Options{Given: given, NoSets: systemSets(d.Name), Bell: bell}})
	}
	return list
}
