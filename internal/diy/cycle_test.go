package diy

import (
	"flag"
	"os"
	"strings"
	"testing"

	frontend "ravel/internal/frontend/litmus"
)

var update = flag.Bool("update", false, "write golden files")

// samples are cycles of each dialect, with most of what it has.
var samples = []struct {
	arch  *Arch
	cycle string
}{
	{AArch64, "DMB.SYdWW Rfe DpAddrdR Fre"},
	{AArch64, "PodWW L Rfe A DpDatadW Rfe Q DpCtrlIsbdR Fre"},
	{AArch64, "PodWRXLX FreXX PodWRXXA FreXAXL"},
	{AArch64, "PodWRPA Amo.SwpAL RfeLP PodRR LxSx PodWR Fre"},
	{AArch64, "PodWWw0q0 Rfeq0w4 DpAddrdRw4A.q0 FreA.q0w0"},
	{AArch64, "PodWWh2b0 Rfeb0w0 DpDatadWw0L.q0 CoeL.q0h2"},
	{ARM, "DMBdWW Rfe DpAddrdW Rfe DpCtrlIsyncdR Fre"},
	{ARM, "DMBdWW Rfe DpCtrldW DetourW DpAddrdR Fre"},
	{ARM, "PodWRPX FreXP PodWR Rmw Rfe PodRR Fre"},
	{PPC, "LwSyncdWW Rfe DpDatadW Rfe DpCtrlIsyncdR Fre"},
	{PPC, "Coe Coe Rfe DpAddrdW Rfe SyncdRR Fre"},
	{X86, "MFencedWR Fre PodWR Rmw Rfe PodRR Fre"},
	{X86_64, "Rfe Rmw PodWR Fre SFencedWW Coe LFencedWR Fre"},
	{RISCV, "Fence.rw.wdWW Rfe DpCtrlFenceIdR Fre"},
	{RISCV, "PodWWPRl RfeRlAq Amo.SwapAqRl PodWRRlXAq FreXAqP"},
	{C, "PodWW Rel Rfe Acq DpCtrldR Na Fre Na"},
	{C, "FenceScdWR Fre PodWR Rmw CoeRlxSc PodWRScSc Fre"},
	{LKMM, "FenceWmbdWW Rfe DpAddrdR Fre"},
	{LKMM, "PodWW Release Rfe Acquire Rmw Rfe DpCtrldW Coe"},
	{LKMM, "FenceMbdWW Rfe DpCtrldR FrLeave RfBack DpDatadW Rfe FenceRmbdRR Fre"},
	{Java, "PodWW Release Rfe Acquire PodRR Fre"},
	{Java, "FenceFulldWR Fre PodWR RmwVolatileVolatile Rfe DpCtrldR Volatile Fre"},
	{LISA, "FenceMbdWW Rfe DpDatadW Rfe DpCtrldR Fre"},
}

// TestText compares the tests of the samples with a golden file, which a reader has compared with the cycles.
func TestText(t *testing.T) {
	var b strings.Builder
	for _, s := range samples {
		c, err := Parse(s.arch, s.cycle)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := c.Litmus()
		if err != nil {
			t.Error(err)
		}
		if _, err := frontend.Parse(c.Name(), []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		again, err := Parse(s.arch, c.String())
		if err != nil {
			t.Errorf("%s is printed as %s: %v", s.cycle, c, err)
		} else if same, _ := again.Litmus(); same != text {
			t.Errorf("%s is printed as %s, which makes\n%s", s.cycle, c, same)
		}
		b.WriteString(text + "\n")
	}
	golden(t, "testdata/samples.golden", b.String())
}

// TestErrors compares what is said of wrong cycles.
func TestErrors(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		arch  *Arch
		cycle string
	}{
		{PPC, ""},
		{PPC, "Rfe"},
		{PPC, "PodWW Rfe PodWW Rfe"},
		{PPC, "PodWW Rfe PodRW"},
		{PPC, "PodWW Rfe PosRR Fre"},
		{PPC, "PodWW PodWW"},
		{PPC, "Rfe Fre Rfe Fre"},
		{PPC, "PodWW Rfe MFencedRR Fre"},
		{PPC, "PodWW Rfe DpFoodR Fre"},
		{PPC, "PodWW Rfe DpDatadR Fre"},
		{PPC, "PodWW RfeAL PodRR Fre"},
		{X86, "PodWW Rfe DpAddrdR Fre"},
		{AArch64, "PodWWPL RfePA PodRRAP Fre"},
		{AArch64, "PodWWPA RfeAP PodRR Fre"},
		{AArch64, "PodWWL Rfe PodRR Fre"},
		{AArch64, "PodWWPw4 Rfew4w0 PodRRw0P Fre"},
		{AArch64, "PodWW Rfe w1 PodRR Fre"},
		{AArch64, "DMB.SYdWW Rfe FrLeave Rfe DpAddrdR Fre"},
		{AArch64, "DMB.SYdWW Rfe PosRR FrBack Rfe DpAddrdR Fre"},
		{AArch64, "DMB.SYdWW Rfe DpAddrdR Store FrLeave RfBack DpAddrdR Fre"},
		{AArch64, "PodWW Rfe Amo.SwpQL RfeLP PodRR Fre"},
		{RISCV, "PodWW Rfe Amo.SwapARRl RfeRlP PodRR Fre"},
		{C, "PodWW Rfe RmwAcqSc Rfe PodRR Fre"},
		{RISCV, "Foo Bar"},
		{X86, strings.Repeat("PodWR PodRW ", 12) + "Coe"},
	} {
		c, err := Parse(s.arch, s.cycle)
		if err == nil {
			t.Errorf("%s is accepted: %s", s.cycle, c)
			continue
		}
		if e, ok := err.(*Error); !ok || e.Off > len(s.cycle) {
			t.Errorf("%s: error %#v", s.cycle, err)
		}
		b.WriteString(err.Error() + "\n")
	}
	golden(t, "testdata/errors.golden", b.String())
}

// TestRegisters: a thread that needs more registers than there are is an error, not a wrong test.
func TestRegisters(t *testing.T) {
	c, err := Parse(X86, "PodRR PodRR PodRR PodRR PodRR PodRR PodRW Rfe PodRW Rfe")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := c.Litmus(); err == nil || !strings.Contains(err.Error(), "registers") {
		t.Errorf("error %v\n%s", err, text)
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs; run with -update and look at the change. Now:\n%s", name, text)
	}
}

// FuzzParse: whatever the text, a cycle whose test our parser reads, or an *Error; never a panic.
func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add(s.arch.Name, s.cycle)
	}
	f.Fuzz(func(t *testing.T, arch, cycle string) {
		a, err := ByName(arch)
		if err != nil {
			return
		}
		c, err := Parse(a, cycle)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Off < 0 || e.Off > len(e.Text) {
				t.Fatalf("error %#v", err)
			}
			return
		}
		text, err := c.Litmus()
		if err != nil {
			return // not enough registers
		}
		if _, err := frontend.Parse("fuzz", []byte(text)); err != nil {
			t.Fatalf("%s: %v\n%s", cycle, err, text)
		}
	})
}
