package event

import (
	"slices"
	"testing"
)

func TestDepTable(t *testing.T) {
	var a DepTable
	want := map[DepSet][]int32{}
	check := func() {
		t.Helper()
		for s, m := range want {
			if got := a.Members(s); !slices.Equal(got, m) {
				t.Errorf("set %d is %v, want %v", s, got, m)
			}
		}
	}
	for i := range int32(20) {
		s := a.Single(i)
		if s == 0 || a.Single(i) != s {
			t.Fatalf("{%d} is set %d, then %d", i, s, a.Single(i))
		}
		want[s] = []int32{i}
	}
	for x := range DepSet(20) {
		for y := range DepSet(20) {
			s := a.Join(x, y)
			m := slices.Concat(a.Members(x), a.Members(y))
			slices.Sort(m)
			want[s] = slices.Compact(m)
		}
	}
	check()
	if n := testing.AllocsPerRun(10, func() { a.Join(5, 9); a.Single(4); a.Join(100, 7) }); n != 0 {
		t.Errorf("joining again allocates %v times", n)
	}
}
