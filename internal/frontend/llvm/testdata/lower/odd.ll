; Integers that are no power of two, bits, halves, long doubles, wide constants.
define i24 @i24(ptr %p) {
  %v = load i24, ptr %p
  store i24 %v, ptr %p
  ret i24 %v
}
define i1 @bit(ptr %p, i1 %b) {
  store i1 %b, ptr %p
  %v = load i1, ptr %p
  ret i1 %v
}
define i128 @i128(i128 %a, ptr %p) {
  %b = add i128 %a, 1
  store i128 -1, ptr %p
  %c = load i128, ptr %p
  %d = mul i128 %b, %c
  %t = trunc i128 %d to i64
  %s = sext i64 %t to i128
  ret i128 %s
}
define void @ld(ptr %p, ptr %q) {
  %v = load x86_fp80, ptr %p
  store x86_fp80 %v, ptr %q
  %w = fadd x86_fp80 %v, %v
  store x86_fp80 %w, ptr %q
  ret void
}
define i8 @mask(<8 x i1> %v) {
  %b = bitcast <8 x i1> %v to i8
  ret i8 %b
}
