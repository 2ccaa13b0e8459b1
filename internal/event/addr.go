package event

// An Addr is the address of a byte. The program sees the number without the bit Narrow. It is made of owner, slot and offset, so that a
// pointer that is a little out of bounds never reaches another object, and an address depends only on who allocated it and on how
// many objects that thread had before, never on the order of exploration.
//
// Owner 0 has the globals and the functions; owner t+1 has what thread t allocates, on its stack or on the heap, and its
// thread-local variables. An object larger than a slot takes several.
//
// Addresses of 64-bit programs are below 2⁴⁷: owner (10 bits), slot (21), offset (16). So programs that keep tags in the upper 16 or the
// lower few bits of a pointer work. Those of 32-bit programs have owner (6 bits), slot (14) and offset (12).
//
// Programs look at a part of an address: they convert a pointer to int, or hash it. So the low 32 bits of where an object
// begins are never 0, and as different as possible. Each owner's slots begin at another multiple of 64 slots within 4 GiB: the
// multiples of the golden ratio, which keep the first owners far apart. No object begins at a slot that is a multiple of 64.
type Addr uint64

// A Space is the addresses of a program.
type Space uint8

const (
	Wide   Space = iota // of 64 bits
	Narrow              // of 32 bits
)

const (
	offsetBits = 16
	slotBits   = 21
	ownerBits  = 10
	slotMask   = 1<<slotBits - 1

	// AddrBits is how many bits an address of a 64-bit program has.
	AddrBits = ownerBits + slotBits + offsetBits

	SlotSize  = 1 << offsetBits
	MaxSlots  = 1<<slotBits - 1<<16 // the rest is what the slots of an owner may begin at
	MaxOwners = 1 << ownerBits

	// TLSSlot is the first slot of a thread's thread-local variables; they end at MaxSlots. Their low 32 bits are just below those of
	// the owner's first slots.
	TLSSlot = MaxSlots - 1<<16 - 1<<10

	// NullSize is how many bytes from address 0 on belong to no object, however large an offset is added to a null pointer.
	NullSize = skipped << offsetBits

	// MaxAlign is the largest alignment that an object can have.
	MaxAlign = skipped / 2 << offsetBits

	skipped = 64      // no object begins at a multiple of so many slots
	golden  = 633     // the golden ratio of MaxOwners
	guard   = 1 << 12 // bytes after an object, at least, that belong to no other
)

// The same of 32-bit programs.
const (
	narrowOffsetBits = 12
	narrowSlotBits   = 14
	narrowOwnerBits  = 6
	narrowTLSSlot    = 1<<narrowSlotBits - 512
	narrowGuard      = 1 << 6
)

// begin returns the place of slot 0 of an owner, counted in slots.
func begin(owner int) int {
	if owner == 0 { // as most are
		return skipped
	}
	return (owner*golden + 1) % MaxOwners * skipped
}

// MakeAddr returns the address of the first byte of a slot, in Wide.
func MakeAddr(owner, slot int) Addr {
	return Addr(owner)<<(slotBits+offsetBits) | Addr((slot+begin(owner))&slotMask)<<offsetBits
}

// Tag returns the bit that the addresses of s have beside those that the program sees.
func (s Space) Tag() Addr { return Addr(s) << AddrBits }

// Space returns the space of an address.
func (a Addr) Space() Space { return Space(a >> AddrBits & 1) }

// Bits returns how many bits of an address the program sees.
func (s Space) Bits() int {
	if s == Narrow {
		return 32
	}
	return AddrBits
}

// Has reports whether a is a number that an address of s can be.
func (s Space) Has(a Addr) bool {
	if s == Narrow {
		return a>>32 == 1<<(AddrBits-32)
	}
	return a>>AddrBits == 0
}

// Make returns the address of the first byte of a slot.
func (s Space) Make(owner, slot int) Addr {
	if s == Narrow {
		return s.Tag() | Addr(owner)<<(narrowSlotBits+narrowOffsetBits) | Addr(slot)<<narrowOffsetBits
	}
	return MakeAddr(owner, slot)
}

func (a Addr) Owner() int {
	if a.Space() == Narrow {
		return int(a>>(narrowSlotBits+narrowOffsetBits)) & (1<<narrowOwnerBits - 1)
	}
	return int(a >> (slotBits + offsetBits))
}

func (a Addr) Slot() int {
	if a.Space() == Narrow {
		return int(a>>narrowOffsetBits) & (1<<narrowSlotBits - 1)
	}
	return (int(a>>offsetBits) - begin(a.Owner())) & slotMask
}

// Offset returns the place of a in its slot.
func (a Addr) Offset() int { return int(uint64(a) & (a.Space().SlotSize() - 1)) }

// Base returns the address of the first byte of the slot of a.
func (a Addr) Base() Addr { return a &^ Addr(a.Space().SlotSize()-1) }

// IsAllocated reports whether a is in what a thread allocates, on its stack or on the heap.
func (a Addr) IsAllocated() bool { return a.Owner() > 0 && a.Slot() < a.Space().TLSSlot() }

func (s Space) offsetBits() int {
	if s == Narrow {
		return narrowOffsetBits
	}
	return offsetBits
}

// SlotSize returns how many bytes a slot has.
func (s Space) SlotSize() uint64 { return 1 << s.offsetBits() }

// NullSize returns how many bytes from address 0 on belong to no object.
func (s Space) NullSize() uint64 { return skipped << s.offsetBits() }

// FirstSlot returns the first slot of owner 0 that is not below NullSize.
func (s Space) FirstSlot() int {
	if s == Narrow {
		return skipped
	}
	return 0
}

// MaxAlign returns the largest alignment that an object can have.
func (s Space) MaxAlign() uint64 { return skipped / 2 << s.offsetBits() }

// MaxOwners returns how many owners there can be: one more than threads.
func (s Space) MaxOwners() int {
	if s == Narrow {
		return 1 << narrowOwnerBits
	}
	return MaxOwners
}

// MaxSlots returns how many slots an owner has.
func (s Space) MaxSlots() int {
	if s == Narrow {
		return 1 << narrowSlotBits
	}
	return MaxSlots
}

// TLSSlot returns the first slot of a thread's thread-local variables; they end at MaxSlots.
func (s Space) TLSSlot() int {
	if s == Narrow {
		return narrowTLSSlot
	}
	return TLSSlot
}

// Slots returns how many slots an object of size bytes takes.
func (s Space) Slots(size uint64) int {
	if s == Narrow {
		return int((size+narrowGuard)>>narrowOffsetBits) + 1
	}
	return Slots(size)
}

// Slots returns how many slots an object of size bytes takes in Wide.
func Slots(size uint64) int { return int((size+guard)>>offsetBits) + 1 }

// Place returns the first slot, not before the given one, where an object may begin that has an alignment of at most MaxAlign.
func (s Space) Place(slot int, align uint64) int {
	step := max(1, int(align>>s.offsetBits()))
	slot = (slot + step - 1) &^ (step - 1)
	if slot%skipped == 0 {
		slot += step
	}
	return slot
}
