package event

import "testing"

// TestLowBits checks what programs that look at a part of an address rely on: the low 32 bits of where objects begin are not 0, and those of
// many objects of several owners differ.
func TestLowBits(t *testing.T) {
	seen := map[uint32]Addr{}
	check := func(a Addr) {
		if a>>AddrBits != 0 || a < NullSize {
			t.Fatalf("%#x is no address of an object", a)
		}
		if uint32(a) == 0 {
			t.Fatalf("the low bits of %#x are 0", a)
		}
		if other, ok := seen[uint32(a)]; ok {
			t.Fatalf("%#x and %#x have the same low bits", a, other)
		}
		seen[uint32(a)] = a
	}
	for owner := range 8 { // the least distance of two is 93 times 64 slots, 1024 of which are for thread-local variables
		slot := 0
		for range 4000 {
			slot = Wide.Place(slot, 1)
			check(MakeAddr(owner, slot))
			slot++
		}
		slot = TLSSlot
		for range 500 {
			slot = Wide.Place(slot, 1)
			check(MakeAddr(owner, slot))
			slot++
		}
	}
	clear(seen)
	for owner := range MaxOwners {
		for slot := 1; slot < 30; slot++ {
			check(MakeAddr(owner, slot))
		}
	}
	for slot, owner := 0, 0; slot < MaxSlots; slot, owner = slot+1, (owner+7)%MaxOwners {
		if slot = Wide.Place(slot, 1); uint32(MakeAddr(owner, slot)) == 0 {
			t.Fatalf("slot %d of owner %d has low bits 0", slot, owner)
		}
	}
}

func TestAddr(t *testing.T) {
	for owner := range MaxOwners {
		for _, slot := range []int{0, 1, 63, 64, 70000, TLSSlot - 1, TLSSlot, MaxSlots - 1} {
			a := MakeAddr(owner, slot) + 5
			if a>>AddrBits != 0 || a.Owner() != owner || a.Slot() != slot || a.Offset() != 5 {
				t.Fatalf("owner %d slot %d: %#x has owner %d, slot %d and offset %d", owner, slot, a, a.Owner(), a.Slot(), a.Offset())
			}
			if next := MakeAddr(owner, slot+1); slot+1 < MaxSlots && next != a-5+SlotSize {
				t.Fatalf("owner %d: slot %d is not next to %d", owner, slot+1, slot)
			}
		}
		for _, align := range []uint64{0, 1, 16, SlotSize, 2 * SlotSize, MaxAlign} {
			for slot := range 200 {
				at := Wide.Place(slot, align)
				if a := MakeAddr(owner, at); at < slot || uint64(a)%max(align, 1) != 0 || uint32(a) == 0 {
					t.Fatalf("Place(%d, %d) = %d, which is %#x for owner %d", slot, align, at, a, owner)
				}
			}
		}
	}
	// Behind an object there is room that belongs to no other.
	for _, size := range []uint64{0, 1, guard, SlotSize - guard - 1, SlotSize - guard, SlotSize - 1, SlotSize, SlotSize + 1, 100 * SlotSize} {
		if room := uint64(Slots(size))*SlotSize - size; room <= guard || room > SlotSize+guard {
			t.Errorf("an object of %d bytes has %d bytes behind it", size, room)
		}
	}
}

func TestNarrow(t *testing.T) {
	for owner := range Narrow.MaxOwners() {
		for _, slot := range []int{1, 63, 65, Narrow.TLSSlot() - 1, Narrow.TLSSlot() + 1, Narrow.MaxSlots() - 1} {
			a := Narrow.Make(owner, slot) + 5
			if !Narrow.Has(a) || Wide.Has(a) || a.Space() != Narrow || a.Owner() != owner || a.Slot() != slot || a.Offset() != 5 || a.Base() != a-5 {
				t.Fatalf("owner %d slot %d: %#x has owner %d, slot %d and offset %d", owner, slot, a, a.Owner(), a.Slot(), a.Offset())
			}
			if a.IsAllocated() != (owner > 0 && slot < Narrow.TLSSlot()) {
				t.Errorf("%#x: allocated %v", a, a.IsAllocated())
			}
			if next := Narrow.Make(owner, slot+1); slot+1 < Narrow.MaxSlots() && next != a.Base()+Addr(Narrow.SlotSize()) {
				t.Fatalf("owner %d: slot %d is not next to %d", owner, slot+1, slot)
			}
		}
	}
	for _, align := range []uint64{1, 4096, 8192, Narrow.MaxAlign()} {
		for slot := range 300 {
			if a := Narrow.Make(3, Narrow.Place(slot, align)); uint64(a)%align != 0 {
				t.Fatalf("Place(%d, %d) is %#x", slot, align, a)
			}
		}
	}
	for _, wild := range []Addr{0, 1 << 33, 1<<AddrBits | 1<<33, 1 << 63} {
		if Narrow.Has(wild) {
			t.Errorf("%#x is no address of 32 bits", wild)
		}
	}
}
