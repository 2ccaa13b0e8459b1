package brute
import ("testing";"math/rand/v2";"fmt")
func init() { catsHerd = func(g *graph, x axioms) bool {
	rfe, fre, coe := minus(g.rf, g.same), minus(g.fr, g.same), minus(g.co,g.same)
	chapo := or(rfe,fre,coe,seq(fre,rfe),seq(coe,rfe))
	fence := or(x.strong, x.light)
	hb := or(x.ppo, fence, rfe)
	base := seq(or(fence, seq(rfe, fence)), star(hb))
	prop := or(and(base, cross(g.w, g.w)), seq(opt(chapo), star(base), x.strong, star(hb)))
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) &&
		acyclic(hb) &&
		irreflexive(seq(fre, prop, star(hb))) &&
		acyclic(or(g.co, prop)) &&
		acyclic(or(g.co, and(g.po, cross(g.locked, g.locked))))
}}

func each(p *Prog, f func(g *graph)) {
		eachChoice(p.paths(p.values()), func(threads [][]Event){
			g:=newGraph(p,threads)
			g.eachRfCo(true, func(co [][]int){ f(g)})
		})
}
func TestZZ(t *testing.T){
	for _, tags := range []Model{"",ARMv8, ARMv7, Power, RISCV} {
	bad:=map[string]int{}; n:=0
	for i:=range 4000 {
		p:=Random(rand.New(rand.NewPCG(uint64(i),1)),Config{Deps:true,Tags:tags,Total:8, Threads:3})
		each(p, func(g *graph){ n++
			if tags==ARMv7 || tags==Power {
				a:=models[tags](g); useHerd=true; b:=models[tags](g); useHerd=false
				if a!=b { k:=fmt.Sprint("chapo ",tags," paper ",a); bad[k]++; if bad[k]==1 {x:=g.execution(p,make([][]int,0),false); fmt.Println(k,p,x.Key(), g.co) }}
			}
			rep:=func(k string){ bad[k]++; if bad[k]<=1 {x:=g.execution(p,make([][]int,0),false);fmt.Println(k,p,"\n"+x.Key())}}
			if tags=="" {
			im, im19, rc := models[IMM](g), models[IMMof2019](g), models[RC11](g)
			if im19 && !im {rep("2019!<imm")}
			if rc && !im {rep("rc!<imm")}
			if models[SC](g) && !im19 {rep("sc!<im19")}
			if models[RC11of2017](g) && !im19 {rep("rc17!<im19")}
			if im && !rc && acyclic(or(g.po,g.rf)) {rep("imm porf !< rc11")}
			for _, m:= range []Model{ARMv8,ARMv7,Power,RISCV} {
				v:=models[m](g)
				if v&&!im {rep(string(m)+"!<imm")}
				c:=g.ctrl
				g.ctrl=or(g.ctrl, seq(id(g.r&g.locked), g.po))
				v=models[m](g)
				g.ctrl=c
				if v&&!im19 {rep(string(m)+"+ctrl!<im19")}
				if v&&!im {rep(string(m)+"+ctrl!<imm")}
				if models[SC](g) && !v {rep("sc!<"+string(m))}
			}
			}
		})
	}
	fmt.Println(tags,n,bad)
	}
}
