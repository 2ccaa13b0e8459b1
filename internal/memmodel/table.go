package memmodel

import "ravel/internal/arch"

// table has the models, the strongest of each kind first, and what neither their checkers nor their texts in cat say.
//
// Weaker is for programs in C11 or with lkmm.h. Only what is proved or meant by the models' makers is there: compilation of C11 to tso, armv8, armv7, power and
// riscv is sound for rc11 (Lahav et al., PLDI'17, except for load buffering) and for imm (Podkopaev et al., POPL'19), and the kernel's model is to hold on every
// machine that Linux runs on.
var table = []*Model{
	{Name: "sc", Weaker: []string{"tso", "rc11-2017"}, states: true},
	{
		Name: "tso", Aliases: []string{"x86", "x86-tso", "x86_64", "amd64"}, Archs: []arch.Name{arch.X86_64, arch.X86}, states: true,
		Weaker: []string{"pso", "armv8", "riscv", "armv7", "power", "rc11-2017"},
	},
	{Name: "pso", Archs: []arch.Name{arch.X86_64, arch.X86}, Weaker: []string{"lmo", "rmo"}, states: true},
	{Name: "lmo", Doc: lmoDoc, Language: C, states: true},
	{Name: "rmo", Doc: rmoDoc, Language: C, states: true},
	{Name: "rc11-2017", Language: C, Weaker: []string{"rc11"}},
	{Name: "rc11", Language: C, Weaker: []string{"ra"}},
	{Name: "ra", Language: C},
	{Name: "c11", Language: C},
	{Name: "xmm", Cat: "xmm-axioms", Language: C, selects: true},
	{Name: "imm", Language: C},
	{Name: "imm-2019", Language: C},
	{Name: "armv8", Aliases: []string{"arm64", "aarch64"}, Archs: []arch.Name{arch.AArch64, arch.ARM}, Weaker: []string{"imm", "lkmm"}},
	{Name: "riscv", Aliases: []string{"rvwmo", "riscv64"}, Archs: []arch.Name{arch.RISCV}, Weaker: []string{"imm", "lkmm"}},
	{Name: "armv7", Aliases: []string{"arm"}, Archs: []arch.Name{arch.ARM}, Weaker: []string{"imm", "lkmm"}},
	{Name: "power", Aliases: []string{"ppc", "powerpc", "ppc64"}, Archs: []arch.Name{arch.PPC}, Weaker: []string{"imm", "lkmm"}},
	{Name: "lkmm", Aliases: []string{"linux", "linux-kernel"}, Bell: "lkmm.bell", Language: Kernel, Weaker: []string{"lkmm-2018"}},
	{Name: "lkmm-2018", Bell: "lkmm.bell", Language: Kernel},
	{Name: "jam19", Language: Java},
	{Name: "jam21", Aliases: []string{"java"}, Language: Java},
	{Name: "jam21-thesis", Language: Java},
	{Name: "jls04", Aliases: []string{"jls"}, Language: Java, justifies: true},
}

const lmoDoc = `The limited memory order of LLMC: loads and stores wait in a buffer (--engine states)

A thread's loads and stores go to its buffer, and leave it in any order that keeps accesses to one
location in order. A thread goes on without the value of a load until it uses it. A load of what the thread's
own buffer holds returns the newest such value.

  acquire fence           waits until no load is in the buffer
  release fence           waits until no store is
  acq_rel, seq_cst fence  waits until the buffer is empty
  acquire load            is performed at once
  release store           waits until the buffer is empty
  seq_cst store           waits, and is performed at once
  read-modify-write       waits until the buffer is empty; a relaxed one only for its location

So a release fence orders a store with a later load, but not a load with a later store, other than in C.

Source: F.I. van der Berg, "Model checking LLVM IR using LTSmin", Twente 2013, section 3.2.3`

const rmoDoc = `Relaxed memory order as LLMC planned it: lmo that does not wait for values (--engine states)

As lmo, but an instruction that depends on a load in the buffer is deferred, and its thread goes on: arithmetic; accesses whose
address, value or operand is to come, which are in the buffer without it; calls and returns that pass it on. Only branches
wait for it. A relaxed read-modify-write is in the buffer like a load.

So two accesses of a thread are ordered if the second depends on the first, by data, address or a branch; if both are to
the same location; or by a fence or an access mode as under lmo. An access whose address is to come is passed by accesses to other locations.

  --variant speculate: a branch orders later stores only. Loads pass it: a thread goes on as if the branch had gone one way. A loop that counts while it waits
  is guessed to go round as often as there is room for, so that the verdict is bounded.

Source: F.I. van der Berg, "Model checking LLVM IR using LTSmin", Twente 2013, section 6.3.1; RMO: The SPARC Architecture Manual, version 9, appendix D`
