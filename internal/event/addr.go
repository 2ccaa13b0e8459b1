package event

// An Addr is the address of a byte as the program sees it: a number below 2⁴⁷ made of
// owner (10 bits), slot (17 bits) and offset (20 bits), so that an out-of-bounds pointer
// never reaches another object by accident, programs that keep tags in the upper 16 or the
// lower few bits of a pointer work, and an address depends only on who allocated it and on how
// many objects that thread had before, never on the order of exploration.
//
// Owner 0 has the globals and the functions (slot 0 is the null page); owner t+1 has what
// thread t allocates, on its stack or on the heap. An object larger than a slot takes several.
type Addr uint64

const (
	offsetBits = 20
	slotBits   = 17
	ownerBits  = 10

	SlotSize  = 1 << offsetBits
	MaxSlots  = 1 << slotBits
	MaxOwners = 1 << ownerBits

	// TLSSlot is the first slot of a thread's thread-local variables; they end at MaxSlots.
	TLSSlot = MaxSlots - 1<<12
)

// MakeAddr returns the address of the first byte of a slot.
func MakeAddr(owner, slot int) Addr {
	return Addr(owner)<<(slotBits+offsetBits) | Addr(slot)<<offsetBits
}

func (a Addr) Owner() int  { return int(a >> (slotBits + offsetBits)) }
func (a Addr) Slot() int   { return int(a>>offsetBits) & (MaxSlots - 1) }
func (a Addr) Offset() int { return int(a & (SlotSize - 1)) }

// Slots returns how many slots an object of size bytes takes.
func Slots(size uint64) int {
	if size == 0 {
		return 1
	}
	return int((size + SlotSize - 1) >> offsetBits)
}
