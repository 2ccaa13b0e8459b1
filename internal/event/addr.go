package event

// An Addr is the address of a byte as the program sees it: a number below 2⁴⁷ made of owner (10 bits), slot (21 bits) and
// offset (16 bits), so that a pointer that is a little out of bounds never reaches another object, programs that keep tags in
// the upper 16 or the lower few bits of a pointer work, and an address depends only on who allocated it and on how
// many objects that thread had before, never on the order of exploration.
//
// Owner 0 has the globals and the functions; owner t+1 has what thread t allocates, on its stack or on the heap, and its
// thread-local variables. An object larger than a slot takes several.
//
// Programs look at a part of an address: they convert a pointer to int, or hash it. So the low 32 bits of where an object
// begins are never 0, and as different as possible. Each owner's slots begin at another multiple of 64 slots within 4 GiB: the
// multiples of the golden ratio, which keep the first owners far apart. No object begins at a slot that is a multiple of 64.
type Addr uint64

const (
	offsetBits = 16
	slotBits   = 21
	ownerBits  = 10
	slotMask   = 1<<slotBits - 1

	// AddrBits is how many bits an address has.
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

// begin returns the place of slot 0 of an owner, counted in slots.
func begin(owner int) int { return (owner*golden + 1) % MaxOwners * skipped }

// MakeAddr returns the address of the first byte of a slot.
func MakeAddr(owner, slot int) Addr {
	return Addr(owner)<<(slotBits+offsetBits) | Addr((slot+begin(owner))&slotMask)<<offsetBits
}

func (a Addr) Owner() int  { return int(a >> (slotBits + offsetBits)) }
func (a Addr) Slot() int   { return (int(a>>offsetBits) - begin(a.Owner())) & slotMask }
func (a Addr) Offset() int { return int(a & (SlotSize - 1)) }

// Slots returns how many slots an object of size bytes takes.
func Slots(size uint64) int { return int((size+guard)>>offsetBits) + 1 }

// Place returns the first slot, not before the given one, where an object may begin that has an alignment of at most MaxAlign.
func Place(slot int, align uint64) int {
	step := max(1, int(align>>offsetBits))
	slot = (slot + step - 1) &^ (step - 1)
	if slot%skipped == 0 {
		slot += step
	}
	return slot
}
