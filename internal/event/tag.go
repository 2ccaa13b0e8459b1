package event

// A Tag says which instruction of an architecture an access or a fence is, where the C11 mode does not
// tell. Events of C programs have none: hardware models read their modes through the
// compilation mapping of the architecture.
type Tag uint8

const (
	NoTag Tag = iota

	// Accesses.
	Plain     // a load or store without any order, whatever Mode says
	AcquireA  // AArch64 LDAR, RISC-V .aq
	AcquirePC // AArch64 LDAPR
	ReleaseL  // AArch64 STLR, RISC-V .rl
	AqRl      // RISC-V .aqrl

	// Fences.
	MFENCE
	SFENCE
	LFENCE
	DMBSY
	DMBLD
	DMBST
	DSBSY
	DSBLD
	DSBST
	ISB
	SYNC
	LWSYNC
	ISYNC
	EIEIO
	FenceRR // RISC-V fence pred,succ
	FenceRW
	FenceRM // succ is rw
	FenceWR
	FenceWW
	FenceWM
	FenceMR
	FenceMW
	FenceMM
	FenceTSO
	FenceI
)

var tagNames = [...]string{
	"", "plain", "A", "Q", "L", "aqrl",
	"mfence", "sfence", "lfence", "dmb.sy", "dmb.ld", "dmb.st", "dsb.sy", "dsb.ld", "dsb.st", "isb",
	"sync", "lwsync", "isync", "eieio",
	"fence.r.r", "fence.r.w", "fence.r.rw", "fence.w.r", "fence.w.w", "fence.w.rw",
	"fence.rw.r", "fence.rw.w", "fence.rw.rw", "fence.tso", "fence.i",
}

func (t Tag) String() string { return tagNames[t] }

// Mode is what the fence t counts as in the models of C11 and on the architectures that do not have it. It is Rlx, without
// effect, for what orders nothing by itself or nothing that C11 could tell: isb, isync, fence.i, eieio, fence.r.w.
func (t Tag) Mode() Mode {
	switch t {
	case MFENCE, DMBSY, DSBSY, SYNC, FenceMM, FenceWR, FenceWM, FenceMR:
		return SC
	case LWSYNC, FenceTSO:
		return AcqRel
	case LFENCE, DMBLD, DSBLD, FenceRM, FenceRR:
		return Acq
	case SFENCE, DMBST, DSBST, FenceMW, FenceWW:
		return Rel
	}
	return Rlx
}
