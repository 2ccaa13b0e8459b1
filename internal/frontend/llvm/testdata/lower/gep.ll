; Address computations: constants folded, one Gep for each variable index, zero offsets free.
%S = type { i8, i32, [10 x i16], %T* }
%T = type <{ i8, i64 }>
@g = global [4 x %S] zeroinitializer
define i16* @field(%S* %p, i64 %i, i32 %j) {
  %z = getelementptr inbounds %S, %S* %p, i64 0, i32 0
  store i8 1, i8* %z
  %q = getelementptr %S, %S* %p, i64 %i, i32 2, i32 %j
  ret i16* %q
}
define void @constants(%T** %p) {
  %a = getelementptr [4 x %S], [4 x %S]* @g, i64 0, i64 2, i32 1
  store i32 5, i32* %a
  store i32 6, i32* getelementptr inbounds ([4 x %S], [4 x %S]* @g, i64 0, i64 1, i32 1)
  %t = load %T*, %T** %p
  %n = getelementptr %T, %T* %t, i64 -1, i32 1
  store i64 ptrtoint ([4 x %S]* @g to i64), i64* %n, align 1
  ret void
}
define <2 x ptr> @vector(ptr %p, <2 x i64> %i) {
  %v = getelementptr i32, ptr %p, <2 x i64> %i
  ret <2 x ptr> %v
}
