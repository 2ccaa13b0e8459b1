package brute

// A Model is the name of a memory model.
type Model string

// The models. The initial writes are not in po and in no thread, and have mode na. They are first in co, and a read of
// one is fr-before all other writes.
//
//   - SC: acyclic(po ∪ rf ∪ co ∪ fr) and atomicity, as in Herding Cats.
//   - TSO: as in Herding Cats and herd's x86tso.cat. Access modes are ignored (the raw mapping):
//     a fence is an MFENCE if its mode is sc and nothing otherwise. A read-modify-write is a locked
//     instruction, ordered with everything before and after it, as in Owens, Sarkar, Sewell, "A better
//     x86 memory model: x86-TSO" (TPHOLs'09): the store buffer is empty when it begins and when it
//     ends. A failed CAS is a locked instruction like any other: on x86 LOCK CMPXCHG always is.
//   - PSO: TSO with writes unordered with later writes, as in SPARC's PSO, where STBAR
//     orders stores: fences at least as strong as rel (rel, acqrel, sc) order the writes
//     before them with the writes after them; sc fences and read-modify-writes order everything.
//     Writes to the same location stay in order through co. Access modes are ignored.
//     operational_test.go compares SC, TSO and PSO with machines that have store buffers.
//   - PSORelaxedRMW: PSO in which a relaxed read-modify-write is ordered with the earlier writes of its thread only if
//     they are to its location, or a fence at least as strong as rel is between. All that follows comes after it.
//   - RA: RC11 without the psc axiom (sc is acqrel).
//   - RC11: Lahav et al., PLDI'17, with C++20's release sequence rs = [W⊒rlx];(rf;rmw)*. As there and in
//     herd's rc11.cat, po|≠loc is po without the pairs at one location, so a fence is at another
//     location than everything; [Esc] has accesses and fences; both halves of a
//     read-modify-write have its mode, a failed CAS is a read with the failure mode.
//     Where a thread starts another, and where it joins it, are events at no location; what starts a thread happens before its
//     beginning, and its end before what joins it. In the models of processors, these are full fences.
//   - RC11of2017: RC11 with the release sequence of that paper, [W];(po|loc)?;[W⊒rlx];(rf;rmw)*.
//
// acyclic(po ∪ rf) is an axiom of RA and RC11; in SC, TSO and PSO it follows.
//
// The others allow cycles in po ∪ rf that dependencies and fences leave open:
//
//   - IMM: Podkopaev, Lahav, Vafeiadis, "Bridging the gap between programming languages and hardware
//     weak memory models" (POPL'19), with sc accesses as in their Coq development (psc as in RC11 is
//     acyclic), and with hb of RC11, that is with C++20's release sequence. So IMM is RC11 with
//     acyclic(ar) in the place of acyclic(po ∪ rf). It does not allow all that RC11 does, because psc
//     between fences is in ar, next to dependencies; see TestIMM. R_ex are the reads of all
//     read-modify-writes, also of a failed CAS; none is "strong".
//   - IMMof2019: IMM with hb of that paper, whose release sequences go on in the same thread.
//   - ARMv8: armv8.go. ARMv7, Power: power.go. RISCV: riscv.go. These are models of machine
//     programs: what C11 becomes on each is in mapping.go.
//   - LKMM: lkmm.go. Race is then that of the kernel.
const (
	SC         Model = "sc"
	TSO        Model = "tso"
	PSO        Model = "pso"
	RA         Model = "ra"
	RC11       Model = "rc11"
	RC11of2017 Model = "rc11-2017"
	IMM        Model = "imm"
	IMMof2019  Model = "imm-2019"
	ARMv8      Model = "armv8"
	ARMv7      Model = "armv7"
	Power      Model = "power"
	RISCV      Model = "riscv"
	LKMM       Model = "lkmm"
	LKMMJoined Model = "lkmm with control dependencies past the arms"
	LKMMInPo   Model = "lkmm without cycles in po and rf"
	// Candidates has all executions with coherent locations and atomic read-modify-writes, which all models demand.
	Candidates    Model = "candidates"
	PSORelaxedRMW Model = "pso with relaxed read-modify-writes"
)

// Raw returns the variant of the model of an architecture in which the modes of accesses mean
// nothing, as if all were rlx. Tags and fences, also those with modes, are as in m.
func (m Model) Raw() Model { return m + "-raw" }

// Models are all models in which po ∪ rf is acyclic, Weaker the others, without the raw variants.
var (
	Models = []Model{SC, TSO, PSO, RA, RC11, RC11of2017}
	Weaker = []Model{IMM, IMMof2019, ARMv8, ARMv7, Power, RISCV, LKMM}
)

var models = map[Model]func(g *graph) bool{
	SC:         sc,
	TSO:        tso,
	PSO:        func(g *graph) bool { return pso(g, 0) },
	RA:         func(g *graph) bool { return ra(g, hb(g, rs(g))) },
	RC11:       func(g *graph) bool { h := hb(g, rs(g)); return ra(g, h) && psc(g, h) },
	RC11of2017: func(g *graph) bool { h := hb(g, rs2017(g)); return ra(g, h) && psc(g, h) },
	IMM:        func(g *graph) bool { return imm(g, hb(g, rs(g))) },
	IMMof2019:  func(g *graph) bool { return imm(g, hb2019(g)) },
	LKMM:       func(g *graph) bool { return lkmm(g, g.open) },
	LKMMJoined: func(g *graph) bool { return lkmm(g, g.ctrl) },
	LKMMInPo:   func(g *graph) bool { return acyclic(or(g.po, g.rf)) && lkmm(g, g.open) },
	Candidates: func(g *graph) bool { return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) },

	PSORelaxedRMW: func(g *graph) bool { return pso(g, g.locked&^(g.acq|g.rel|g.sc)) },
}

func init() {
	for m, consistent := range map[Model]func(g *graph, raw bool) bool{ARMv8: armv8, ARMv7: armv7, Power: power, RISCV: riscv} {
		models[m] = func(g *graph) bool { return consistent(g, false) }
		models[m.Raw()] = func(g *graph) bool { return consistent(g, true) }
	}
}

// coherent is sc-per-loc. rf, co and fr may be those of some locations only.
func coherent(g *graph, rf, co, fr rel) bool {
	return acyclic(or(and(g.po, g.loc), rf, co, fr))
}

// atomic is atomicity: nothing between the read and the write of a read-modify-write.
func atomic(g *graph, co, fr rel) bool {
	return empty(and(g.rmw, seq(fr, co)))
}

func sc(g *graph) bool {
	return acyclic(or(g.po, g.ts, g.rf, g.co, g.fr)) && atomic(g, g.co, g.fr)
}

func tso(g *graph) bool {
	ppo := and(g.po, or(cross(g.r, g.r), cross(g.r, g.w), cross(g.w, g.w)))
	return ghb(g, or(ppo, fullFences(g, g.locked)))
}

// pso has the locked events that are relaxed, if these are no full fences.
func pso(g *graph, relaxed set) bool {
	ppo := and(g.po, or(cross(g.r, g.r), cross(g.r, g.w), cross(relaxed, all), and(cross(g.w, relaxed), g.loc)))
	storeStore := seq(id(g.w), g.po, id(g.f&g.rel), g.po, id(g.w|relaxed))
	return ghb(g, or(ppo, storeStore, fullFences(g, g.locked&^relaxed)))
}

// fullFences is po across an sc fence, from and to the events of locked instructions, and the order that threads start and end in.
func fullFences(g *graph, locked set) rel {
	full := id(locked | g.sync)
	return or(seq(g.po, id(g.f&g.sc), g.po), seq(full, g.po), seq(g.po, full), g.ts)
}

// ghb is the axioms of TSO and PSO, given what they keep of po.
func ghb(g *graph, kept rel) bool {
	rfe := minus(g.rf, g.same)
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) &&
		acyclic(or(kept, rfe, g.co, g.fr))
}

func rs(g *graph) rel {
	return seq(id(g.w&^g.na), star(seq(g.rf, g.rmw)))
}

func rs2017(g *graph) rel {
	return seq(id(g.w), opt(and(g.po, g.loc)), id(g.w&^g.na), star(seq(g.rf, g.rmw)))
}

// hb is (po ∪ sw ∪ ts)⁺ for the release sequences rs.
func hb(g *graph, rs rel) rel {
	sw := seq(id(g.rel), opt(seq(id(g.f), g.po)), rs, g.rf,
		id(g.r&^g.na), opt(seq(g.po, id(g.f))), id(g.acq))
	return plus(or(g.po, sw, g.ts))
}

func eco(g *graph) rel { return plus(or(g.rf, g.co, g.fr)) }

func ra(g *graph, hb rel) bool {
	return irreflexive(seq(hb, opt(eco(g)))) &&
		atomic(g, g.co, g.fr) &&
		acyclic(or(g.po, g.rf, g.ts))
}

func psc(g *graph, hb rel) bool {
	other := minus(g.po, g.loc) // po|≠loc
	scb := or(g.po, seq(other, hb, other), and(hb, g.loc), g.co, g.fr)
	esc, fsc := id(g.sc), id(g.f&g.sc)
	base := seq(or(esc, seq(fsc, opt(hb))), scb, or(esc, seq(opt(hb), fsc)))
	fences := seq(fsc, or(hb, seq(hb, eco(g), hb)), fsc)
	return acyclic(or(base, fences))
}

// racy: see Execution.Race.
func racy(g *graph, m Model) bool {
	if m == LKMM {
		l := newLinux(g, g.open)
		return l.ordered() && l.races()
	}
	h := hb(g, rs(g))
	if m == RC11of2017 {
		h = hb(g, rs2017(g))
	}
	accesses := (g.r | g.w) &^ g.init // the initial writes happen before everything
	conflict := and(g.loc, minus(cross(accesses, accesses), cross(g.r, g.r)))
	conflict = and(conflict, or(cross(g.na, all), cross(all, g.na)))
	return !empty(minus(conflict, or(h, inv(h), id(all))))
}
