; The addresses of blocks are numbers; a branch to one is a switch.
@tab = constant [2 x ptr] [ptr blockaddress(@jump, %b), ptr blockaddress(@jump, %c)]
define i32 @jump(i64 %i) {
a:
  %p = getelementptr [2 x ptr], ptr @tab, i64 0, i64 %i
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %b, label %c]
b:
  ret i32 1
c:
  %v = phi i32 [ 2, %a ]
  ret i32 %v
}
