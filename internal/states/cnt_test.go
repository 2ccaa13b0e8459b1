package states
import ("testing";"fmt")
func TestCnt(t *testing.T) {
	for _, f := range [][]string{{}, {"-DSTART"}, {"-DCHECK"}, {"-DSTART","-DCHECK"}, {"-DSTART","-DINIT"}, {"-DSTART","-DINIT","-DCHECK"}} {
		var out []int64
		for incs := range 4 {
			p := loadC(t, "counting2.c", append([]string{fmt.Sprintf("-DINCS=%d", incs+1)}, f...)...)
			for _, por := range []bool{false,true} {
			res := mustExplore(t, p, Options{MemoryCheck: true, POR: por})
			out = append(out, res.Stored)
			}
		}
		t.Log(f, out)
	}
}
