; LLVM IR needs no compiler. Two threads add to a counter with a load and a
; store, both atomic: one of the additions can be lost.
@counter = global i32 0

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)

@text = private constant [13 x i8] c"counter == 2\00"

define ptr @add(ptr %unused) {
  %old = load atomic i32, ptr @counter seq_cst, align 4
  %new = add i32 %old, 1
  store atomic i32 %new, ptr @counter seq_cst, align 4
  ret ptr null
}

define i32 @main() {
  %a = alloca i64
  %b = alloca i64
  call i32 @pthread_create(ptr %a, ptr null, ptr @add, ptr null)
  call i32 @pthread_create(ptr %b, ptr null, ptr @add, ptr null)
  %ta = load i64, ptr %a
  %tb = load i64, ptr %b
  call i32 @pthread_join(i64 %ta, ptr null)
  call i32 @pthread_join(i64 %tb, ptr null)
  %sum = load atomic i32, ptr @counter seq_cst, align 4
  %ok = icmp eq i32 %sum, 2
  br i1 %ok, label %done, label %wrong
wrong:
  call void @__assert_fail(ptr @text, ptr @text, i32 1, ptr @text)
  ret i32 1
done:
  ret i32 0
}
