@ifn = ifunc i32 (), ptr @resolver
define ptr @resolver() { ret ptr null }
define i32 @va(ptr %p) {
  %v = va_arg ptr %p, i32
  ret i32 %v
}
define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %a) {
  %s = add <vscale x 4 x i32> %a, %a
  ret <vscale x 4 x i32> %s
}
define i32 @goto() {
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %a [label %b]
a:
  ret i32 0
b:
  ret i32 1
}
define half @half(half %h) {
  %x = fadd half %h, 0xH3C00
  ret half %x
}
define i32 @callifn() {
  %x = call i32 @ifn()
  ret i32 %x
}
define void @big(ptr %p) {
  %x = load [100000 x i64], ptr %p
  ret void
}
define void @unknown() {
  %x = call i32 @llvm.frobnicate.i32(i32 3)
  ret void
}
define void @fmax(ptr %p) {
  %x = atomicrmw fmaximum ptr %p, float 1.0 seq_cst
  ret void
}
