package diy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
)

// TestNames: the names are those of Alglave, Maranget, Tautschnig, "Herding Cats" (TOPLAS'14, Table III and
// figures), and of the diy manual for annotations.
func TestNames(t *testing.T) {
	for _, x := range []struct {
		arch        *Arch
		cycle, name string
	}{
		{PPC, "PodWW Rfe PodRR Fre", "MP"},
		{PPC, "Fre PodWW Rfe PodRR", "MP"},
		{PPC, "LwSyncdWW Rfe DpAddrdR Fre", "MP+lwsync+addr"},
		{PPC, "SyncdWR Fre SyncdWR Fre", "SB+syncs"},
		{PPC, "DpDatadW Rfe DpDatadW Rfe", "LB+datas"},
		{PPC, "PodWW Wse PodWR Fre", "R"},
		{PPC, "PodWW Rfe PodRW Coe", "S"},
		{PPC, "PodWW Coe PodWW Coe", "2+2W"},
		{PPC, "Rfe PodRW Rfe PodRR Fre", "WRC"},
		{PPC, "Rfe PodRR Fre PodWR Fre", "RWC"},
		{PPC, "Rfe PodRW Rfe PodRW Coe", "WWC"},
		{PPC, "Rfe SyncdRR Fre Rfe SyncdRR Fre", "IRIW+syncs"},
		{PPC, "PodWW Rfe PodRW Rfe PodRR Fre", "ISA2"},
		{PPC, "PodWW Rfe PodRR Fre PodWR Fre", "W+RWC"},
		{PPC, "PodWW Rfe PodRW Coe PodWR Fre", "Z6.0"},
		{PPC, "PodWW Coe PodWW Rfe PodRW Coe", "Z6.1"},
		{PPC, "PodWW Rfe PodRW Rfe PodRW Coe", "Z6.2"},
		{PPC, "PodWW Coe PodWW Rfe PodRR Fre", "Z6.3"},
		{PPC, "PodWW Coe PodWR Fre PodWR Fre", "Z6.4"},
		{PPC, "PodWW Coe PodWW Coe PodWR Fre", "Z6.5"},
		{PPC, "PodWR Fre PodWR Fre PodWR Fre", "3.SB"},
		{PPC, "PodWW Coe PodWW Coe PodWW Coe", "3.2W"},
		{PPC, "Rfe PosRR Fre", "CoRR"},
		{PPC, "Rfe PosRW Coe", "CoRW2"},
		{PPC, "PosWR Fre Coe", "CoWR"},
		{PPC, "PosWW Coi", "CoWW"},
		{PPC, "PosRW Rfi", "CoRW1"},
		{PPC, "PosWR Fri", "CoWR0"},
		{PPC, "SyncdWR Fre PodWR DpCtrlIsyncdR Fre", "SB+sync+po-ctrlisync"},
		{PPC, "LwSyncdWW Rfe DpCtrldR PodRR Fre", "MP+lwsync+ctrlR-po"},
		{AArch64, "PodWW L Rfe A PodRR Fre", "MP+popl+poap"},
		{AArch64, "PodWWPL RfeLQ PodRRQP Fre", "MP+popl+poqp"},
		{AArch64, "Rfe DMB.LDdRR Fre RfeLA PodRRAP FrePP", "IRIW+dmb.ld+poap+PL"},
		{X86, "MFencedWR Fre Rfi PodRR Fre", "SB+mfence+rfi-po"},
		{X86, "PodWR Rmw Rfe PodRR Fre", "MP+po-rmw+po"},
		{LKMM, "PodWWOnceRelease RfeReleaseOnce DpCtrldWOnceOnce CoeOnceOnce", "S+pooncerelease+ctrlonceonce"},
		{C, "FenceScdWR Fre FenceScdWR Fre", "SB+fencescs"},
	} {
		c, err := Parse(x.arch, x.cycle)
		if err != nil {
			t.Error(err)
		} else if c.Name() != x.name {
			t.Errorf("%s: name %s, want %s", x.cycle, c.Name(), x.name)
		}
	}
}

// byHand are names in the archives that diy did not make.
var byHand = regexp.MustCompile(`^(DETOUR|ARMARM|ATOM|X0|A0|A\d|CO-|x86-|W\+R|6\.SB|(MOREDETOUR|LB\+PPO|MP\+PPO|S\+PPO)|.*dmbs(~2)?$|.*\+pos\+dmb$|.*LNa$|LB\+datas\+WW|MP\+dmb.sy\+addrR-pos-addr)`)

// orig is the cycle that diy wrote in a test.
var orig = regexp.MustCompile(`(?m)^Orig=(.*)$`)

// archives are the folders of ../shared/litmus with tests of diy.
var archives = map[string]*Arch{"AArch64": AArch64, "ARM": ARM, "PPC": PPC, "X86": X86, "X86_64": X86_64, "RISCV": RISCV, "C-linux": LKMM}

// archive calls f for each test of the field that has a cycle which this package reads, and returns how many.
func archive(t *testing.T, f func(file string, src []byte, c *Cycle)) (n int) {
	t.Helper()
	root := "../../../shared/litmus"
	if _, err := os.Stat(root); err != nil {
		t.Skip("no ../shared/litmus here")
	}
	for dir, arch := range archives {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*.litmus"))
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := orig.FindSubmatch(src)
			if m == nil {
				continue
			}
			c, err := Parse(arch, string(m[1]))
			if err != nil {
				// Tags, edges that leave a thread and come back, and accesses without a common byte.
				if _, ok := err.(*Error); !ok {
					t.Errorf("%s: %v", file, err)
				}
				continue
			}
			n++
			f(dir+"/"+filepath.Base(file), src, c)
		}
	}
	return n
}

// TestArchiveNames: for each test of the field with its cycle in it, our name is the one it has, and our text is read back.
func TestArchiveNames(t *testing.T) {
	number := regexp.MustCompile(`(~\d|\d\d\d|\+(RFI01|BIS|NEW|onces\+locked)|Local)$`) // of several with the same name
	n := archive(t, func(file string, src []byte, c *Cycle) {
		text, err := c.Litmus()
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		test, err := frontend.Parse(c.Name(), []byte(text))
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, text)
			return
		}
		if want := c.Threads + len(c.observers()); len(test.Threads) != want {
			t.Errorf("%s: %d threads, want %d\n%s", file, len(test.Threads), want, text)
		}
		want := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".litmus"), "C-")
		if byHand.MatchString(want) {
			return
		}
		want = strings.Replace(number.ReplaceAllString(want, ""), "z6", "Z6", 1)
		old := strings.NewReplacer("coi", "wsi", "[co", "[ws", "co]", "ws]", "detr", "[fr-rf]", "detw", "[ws-rf]")
		if got := c.name(false); old.Replace(got) != old.Replace(want) {
			t.Errorf("%s: %s has the name %s", file, c, got)
		}
	})
	if n < 1000 {
		t.Errorf("%d cycles", n)
	}
}
