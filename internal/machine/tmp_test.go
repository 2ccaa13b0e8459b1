package machine
import ("testing";"fmt")
func TestTmp(t *testing.T){
 compile(t, `
global x 4
global y 4
func main() 1 {
e:
  br outer
outer:
  %a = load.4.acq @y
  br inner
inner:
  %b = load.4.acq @x
  condbr %b, next, inner
next:
  br outer
}`, Options{SpinAssume:true, dump: func(f *fn){fmt.Println(f)}})
}
