define <4 x i32> @arith(<4 x i32> %a, ptr %p) {
  %b = load <4 x i32>, ptr %p
  %c = add <4 x i32> %a, splat (i32 3)
  %d = icmp slt <4 x i32> %b, %c
  %e = select <4 x i1> %d, <4 x i32> %b, <4 x i32> %c
  %f = shufflevector <4 x i32> %e, <4 x i32> %a, <4 x i32> <i32 0, i32 5, i32 poison, i32 3>
  %g = extractelement <4 x i32> %f, i64 1
  %h = insertelement <4 x i32> %f, i32 %g, i32 0
  ret <4 x i32> %h
}
define i64 @cast(<2 x i32> %v, i32 %i) {
  %a = bitcast <2 x i32> %v to i64
  %e = extractelement <2 x i32> %v, i32 %i
  %z = zext i32 %e to i64
  %r = xor i64 %a, %z
  ret i64 %r
}
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
define i32 @sum(<4 x i32> %v) {
  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  ret i32 %r
}
