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
	Full      // kernel: a read-modify-write that is ordered with everything
	Noreturn  // kernel: a read-modify-write whose value is not returned
	Lock      // kernel: spin_lock
	Unlock    // kernel: spin_unlock

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

	// Fences of the Linux kernel.
	SmpMB
	SmpRMB
	SmpWMB
	BeforeAtomic // smp_mb__before_atomic and so on
	AfterAtomic
	AfterSpinlock
	AfterUnlockLock
	AfterSRCU
	RCULock
	RCUUnlock
	SyncRCU
	SRCULock
	SRCUUnlock
	SyncSRCU

	numTags
)

var tagNames = [...]string{
	"", "plain", "A", "Q", "L", "aqrl", "full", "noreturn", "lock", "unlock",
	"mfence", "sfence", "lfence", "dmb.sy", "dmb.ld", "dmb.st", "dsb.sy", "dsb.ld", "dsb.st", "isb",
	"sync", "lwsync", "isync", "eieio",
	"fence.r.r", "fence.r.w", "fence.r.rw", "fence.w.r", "fence.w.w", "fence.w.rw",
	"fence.rw.r", "fence.rw.w", "fence.rw.rw", "fence.tso", "fence.i",
	"smp_mb", "smp_rmb", "smp_wmb", "before_atomic", "after_atomic", "after_spinlock", "after_unlock_lock", "after_srcu_read_unlock",
	"rcu_read_lock", "rcu_read_unlock", "synchronize_rcu", "srcu_read_lock", "srcu_read_unlock", "synchronize_srcu",
}

// NumTags is the number of tags.
const NumTags = int(numTags)

// IsFence reports whether t is the tag of a fence.
func (t Tag) IsFence() bool { return t >= MFENCE }

// IsKernel reports whether t is one of the Linux kernel, not an instruction: an architecture has code for it.
func (t Tag) IsKernel() bool { return t >= SmpMB || t >= Full && t <= Unlock }

// IsRCU reports whether t is a fence that only a model of the kernel knows: no architecture has instructions for it.
func (t Tag) IsRCU() bool { return t >= RCULock }

// IsGracePeriod reports whether t waits for read-side critical sections.
func (t Tag) IsGracePeriod() bool { return t == SyncRCU || t == SyncSRCU }

func (t Tag) String() string { return tagNames[t] }

// Mode is what the fence t counts as in the models of C11 and on the architectures that do not have it. It is Rlx, without
// effect, for what orders nothing by itself or nothing that C11 could tell: isb, isync, fence.i, eieio, dmb.st, fence.r.w. A release fence orders loads, too,
// which dmb.st does not.
func (t Tag) Mode() Mode {
	switch t {
	case MFENCE, DMBSY, DSBSY, SYNC, FenceMM,
		SmpMB, BeforeAtomic, AfterAtomic, AfterSpinlock, AfterUnlockLock, AfterSRCU:
		return SC
	case LWSYNC, FenceTSO:
		return AcqRel
	case LFENCE, DMBLD, DSBLD, FenceRM, SmpRMB:
		return Acq
	case SFENCE, FenceMW, SmpWMB:
		return Rel
	}
	return Rlx
}
