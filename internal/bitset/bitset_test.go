package bitset

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func list(each func(func(int))) (l []int) {
	each(func(i int) { l = append(l, i) })
	return l
}

// TestSets compares both types with maps.
func TestSets(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := New[int](200), New[int](200)
		var w Word[int]
		want, other, small := map[int]bool{}, map[int]bool{}, map[int]bool{}
		for range 60 {
			i, k := r.IntN(200), r.IntN(64)
			switch r.IntN(4) {
			case 0:
				a.Remove(i)
				delete(want, i)
				w &^= One(k)
				delete(small, k)
			case 1:
				b.Add(i)
				other[i] = true
			default:
				a.Add(i)
				want[i] = true
				w |= One(k)
				small[k] = true
			}
		}
		common, more := 0, false
		for i := range other {
			if want[i] {
				common++
			} else {
				more = true
			}
		}
		if got := a.Common(b); got != common {
			t.Fatalf("seed %d: %d in common, want %d", seed, got, common)
		}
		if got := a.Join(b); got != more {
			t.Fatalf("seed %d: joining adds: %v, want %v", seed, got, more)
		}
		maps.Copy(want, other)
		if got := list(a.Each); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if got := list(w.Each); !slices.Equal(got, slices.Sorted(maps.Keys(small))) || w.Count() != len(small) {
			t.Fatalf("seed %d: %v, want %v", seed, got, small)
		}
		for i := range 64 {
			if w.Has(i) != small[i] || w.Contains(One(i)) != small[i] || a.Has(i) != want[i] {
				t.Fatalf("seed %d: %d", seed, i)
			}
		}
	}
	if Below(5) != 31 || Below(64) != ^Word[int](0) || One(3).First() != 3 {
		t.Fatal("Below or First")
	}
}
