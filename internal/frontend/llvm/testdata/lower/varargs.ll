; Variable arguments go through memory; va_start says that no registers are left.
%struct.large = type { [3 x i64] }

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
declare i32 @printf(ptr, ...)

define void @f(i32 %n, ...) {
  %ap = alloca [24 x i8], align 16
  %aq = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %ap)
  call void @llvm.va_copy.p0(ptr %aq, ptr %ap)
  call void @llvm.va_end.p0(ptr %ap)
  ret void
}

define void @g(ptr %p, ptr %l, double %d) {
  call void (i32, ...) @f(i32 0)
  call void (i32, ...) @f(i32 2, i32 7, double %d)
  call void (i32, ...) @f(i32 2, i8 1, i128 2, ptr byval(%struct.large) align 8 %l)
  call void (i32, ...) %p(i32 1, ptr %l)
  call void (...) %p(i32 1)
  %r = call i32 (ptr, ...) @printf(ptr %l, double %d)
  ret void
}
