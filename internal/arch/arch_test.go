package arch

import (
	"slices"
	"testing"

	"ravel/internal/event"
)

// Every name that a mapping refers to is in the table of its processor.
func TestTables(t *testing.T) {
	for _, d := range Dialects {
		if d.C11 != nil && d.FenceSet(d.Full) == "" {
			t.Errorf("%s: no full fence", d.Name)
		}
		for _, m := range []*Mapping{d.C11, d.Java} {
			if m == nil {
				continue
			}
			var tags []event.Tag
			for _, modes := range []Modes{m.Load, m.Store, m.Read, m.Write, m.Failed} {
				for _, a := range modes {
					tags = append(tags, a.Before, a.After)
					if a.Mark != event.NoTag && d.Marks[a.Mark] == "" {
						t.Errorf("%s: a mapping uses %s, which has no set", d.Name, a.Mark)
					}
				}
			}
			tags = append(append(tags, m.Fence[:]...), m.LoadLoad, m.StoreStore)
			for _, tag := range tags {
				if tag != event.NoTag && d.FenceSet(tag) == "" {
					t.Errorf("%s: a mapping uses %s, which is no fence of it", d.Name, tag)
				}
				if tag != event.NoTag && m == d.Java && d.FenceAsm(tag) == "" {
					t.Errorf("%s: no way to write %s", d.Name, tag)
				}
			}
		}
		for from, to := range d.Kernel {
			if !from.IsKernel() || to != event.NoTag && d.FenceSet(to) == "" {
				t.Errorf("%s: %s becomes %s", d.Name, from, to)
			}
		}
		sets := d.AllSets()
		slices.Sort(sets)
		if len(slices.Compact(slices.Clone(sets))) != len(sets) {
			t.Errorf("%s: a set is there twice: %v", d.Name, sets)
		}
	}
}

// What a model is about shows in the names that it uses: fences first, then the modes of C, then marks of accesses.
func TestAbout(t *testing.T) {
	for _, c := range []struct {
		uses string
		want Name
	}{
		{"DMB.SY DMB.ST A", AArch64},
		{"DMB ISB", ARM},
		{"DMB.ST", ARM},
		{"LWSYNC ISYNC", PPC},
		{"Fence.r.rw", RISCV},
		{"SFENCE", X86_64},
		{"ACQ REL A L", C},
		{"A L", AArch64},
		{"Acq", RISCV},
		{"A", C},
		{"", C},
	} {
		if d := About(func(set string) bool { return slices.Contains(fields(c.uses), set) }); d.Name != c.want {
			t.Errorf("%s: %s, want %s", c.uses, d.Name, c.want)
		}
	}
}
