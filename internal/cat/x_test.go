package cat
import "testing"
func TestX(t *testing.T){
 for _, n := range Names() {
  m,_ := Embedded(n)
  p,err := Compile(m, c11, Options{Given:[]string{"co"}})
  if err!=nil { t.Log(n, err); continue}
  for _,e := range p.Explain() { t.Log(n, e.Title(), e.Monotone, e.Growth, e.Why, e.At)}
  t.Log(n, len(p.nodes))
 }
}
func BenchmarkCompile(b *testing.B) { for b.Loop() { compileFor(b, "rc11", c11, Options{}) } }
