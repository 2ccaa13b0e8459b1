package llvm

import (
	"fmt"
	"slices"
	"testing"

	"ravel/internal/event"
)

func TestAsmFences(t *testing.T) {
	one := func(tag event.Tag) []event.Tag { return []event.Tag{tag} }
	tests := map[string][]event.Tag{
		"":                              nil,
		"mfence":                        one(event.MFENCE),
		"SFENCE # stores":               one(event.SFENCE),
		"lfence":                        one(event.LFENCE),
		"lock; addl $$0,0(%rsp)":        one(event.MFENCE),
		"lock orq $$0x0, (%rsp)":        one(event.MFENCE),
		"rep; nop":                      nil,
		"isb":                           one(event.ISB),
		"isb sy":                        one(event.ISB),
		"yield":                         nil,
		"hint #1":                       nil,
		"sync":                          one(event.SYNC),
		"hwsync":                        one(event.SYNC),
		"lwsync":                        one(event.LWSYNC),
		"isync":                         one(event.ISYNC),
		"eieio":                         one(event.EIEIO),
		"or 27, 27, 27":                 nil,
		"fence":                         one(event.FenceMM),
		"fence iorw , iorw":             one(event.FenceMM),
		"fence io,io":                   nil,
		"fence ow,ir":                   one(event.FenceWR),
		"fence.tso":                     one(event.FenceTSO),
		"fence.i":                       one(event.FenceI),
		"dmb #9":                        one(event.DMBLD),
		"dsb #0xa // ishst":             one(event.DSBST),
		"dmb":                           one(event.DMBSY),
		"dmb ish\n\tisb":                {event.DMBSY, event.ISB},
		"dmb ishld; dmb ishst ; lwsync": {event.DMBLD, event.DMBST, event.LWSYNC},
	}
	for _, domain := range []string{"ish", "osh", "nsh"} {
		tests["dmb "+domain] = one(event.DMBSY)
		tests["dmb "+domain+"ld"] = one(event.DMBLD)
		tests["dmb "+domain+"st"] = one(event.DMBST)
		tests["dsb "+domain] = one(event.DSBSY)
		tests["dsb "+domain+"ld"] = one(event.DSBLD)
		tests["dsb "+domain+"st"] = one(event.DSBST)
	}
	for kind, tags := range map[string][2]event.Tag{
		"sy": {event.DMBSY, event.DSBSY}, "ld": {event.DMBLD, event.DSBLD}, "st": {event.DMBST, event.DSBST},
	} {
		tests["dmb "+kind], tests["dsb "+kind] = one(tags[0]), one(tags[1])
	}
	tag := event.FenceRR
	for _, pred := range []string{"r", "w", "rw"} {
		for _, succ := range []string{"r", "w", "rw"} {
			for _, io := range []string{"", "i", "o", "io"} {
				tests[fmt.Sprintf("fence %s%s, %s%s", io, pred, io, succ)] = one(tag)
			}
			tag++
		}
	}
	for text, want := range tests {
		if got, ok := asmEffects(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"lock; xaddl $0,$1", "lock; addl $$1,0(%rsp)", "dmb foo", "dmb #16", "fence rw", "fence wr,r", "fence x,y", "fence.foo",
		"ldar w0, [x1]", "sync 5", "cli", "lock",
	} {
		if got, ok := asmEffects(text); ok {
			t.Errorf("%q: %v, want nothing", text, got)
		}
	}
}
