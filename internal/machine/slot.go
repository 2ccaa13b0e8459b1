package machine

// Slot returns the slot of the thread's next allocation, of the words of its top frame (Freezer.Top).
func Slot(words []uint64) int { return int(words[1] >> slotShift) }

// SetSlot changes it: an engine that knows that nothing points to the last objects of a thread, which are freed, may
// have their addresses used again.
func SetSlot(words []uint64, slot int) {
	words[1] = words[1]&(1<<slotShift-1) | uint64(slot)<<slotShift
}
