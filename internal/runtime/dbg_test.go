package rt_test
import ("testing";"os";"fmt";"ravel/internal/check";"ravel/internal/machine";"ravel/internal/event")
func TestDbg(t *testing.T){
 p,err:=check.Load([]string{os.Getenv("F")},"",[]string{os.Getenv("O")}); if err!=nil{t.Fatal(err)}
 if os.Getenv("P")!=""{ for _,f:=range p.Funcs{ if f.Name==os.Getenv("P"){fmt.Println(f)}}}
 m,err:=machine.Compile(p,machine.Options{SpinAssume:os.Getenv("NOSPIN")==""}); if err!=nil{t.Fatal(err)}
 var a machine.Arena; var act machine.Action
 mem:=map[event.Addr]event.Value{}
 s:=m.StartMain(&a,&act)
 type th struct{s machine.State;act machine.Action}
 n:=0
 var run func(tid int,s machine.State,act machine.Action)
 run=func(tid int,s machine.State,act machine.Action){
 for i:=0;i<60;i++{
  fmt.Printf("T%d kind=%d addr=%#x size=%d val=%v exp=%v rmw=%v blk=%d N=%d err=%v\n",tid,act.Kind,act.Addr,act.Size,act.Val,act.Exp,act.RMW,act.Block,act.N,act.Error)
  v:=event.Value{}
  get:=func()event.Value{ if v,ok:=mem[act.Addr];ok{return v}; v,_:=m.InitialValue(act.Addr,act.Size); return v}
  switch act.Kind{
  case machine.Load: v=get()
  case machine.Store: mem[act.Addr]=act.Val
  case machine.RMW: v=get(); if act.RMW!=event.CAS||v==act.Exp{mem[act.Addr]=act.RMW.Apply(v,act.Val,act.Size)}
  case machine.Create: n++; v=event.Value{Lo:uint64(n)}; c:=n; var act2 machine.Action; s2:=m.Start(&a,c,act.Addr,act.Val,&act2); run(c,s2,act2)
  case machine.Exit,machine.Block,machine.Fail: return
  }
  s=m.Resume(&a,s,v,&act)
 }}
 run(0,s,act)
}
