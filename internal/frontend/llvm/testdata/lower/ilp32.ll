target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"

%T = type { i8, i64, ptr, double }

@g = global %T zeroinitializer
@p = global ptr getelementptr (%T, ptr @g, i32 0, i32 2)

define ptr @field(ptr %t, i32 %i, i64 %far) {
  %a = getelementptr %T, ptr %t, i32 %i, i32 3
  %b = getelementptr i8, ptr %a, i64 %far
  %c = getelementptr i8, ptr %b, i32 -4
  %l = alloca %T
  %m = getelementptr %T, ptr %l, i32 0, i32 2
  store ptr %c, ptr %m
  %v = load ptr, ptr @p
  %n = ptrtoint ptr %v to i32
  %w = ptrtoint ptr %v to i64
  %s = trunc i64 %w to i32
  %x = add i32 %n, %s
  %r = inttoptr i32 %x to ptr
  ret ptr %r
}

declare i32 @printf(ptr, ...)
declare void @llvm.va_start(ptr)

define i32 @variadic(i32 %n, ...) {
  %ap = alloca ptr
  call void @llvm.va_start(ptr %ap)
  %r = call i32 (i32, ...) @variadic(i32 1, i64 2, double 1.0, ptr null)
  ret i32 %r
}
