%P = type { i32, { i8, ptr } }
define %P @build(%P %in, i32 %a) {
  %1 = insertvalue %P undef, i32 %a, 0
  %2 = extractvalue %P %in, 1
  %3 = insertvalue %P %1, { i8, ptr } %2, 1
  ret %P %3
}
define void @copy(ptr %a, ptr %b) {
  %v = load %P, ptr %a
  store %P %v, ptr %b
  store [2 x i16] [i16 1, i16 -2], ptr %b
  ret void
}
define i32 @use(%P %x, i1 %c) {
  %y = select i1 %c, %P %x, %P zeroinitializer
  %z = call %P @build(%P %y, i32 3)
  %r = extractvalue %P %z, 0
  ret i32 %r
}
define void @byval(ptr byval(%P) align 8 %p) {
  store i32 1, ptr %p
  ret void
}
