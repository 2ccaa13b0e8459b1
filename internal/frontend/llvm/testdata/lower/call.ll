@fp = global ptr @one
@t = thread_local global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@ali = alias i32 (i32), ptr @one
declare i32 @printf(ptr, ...)
declare void @ext(i8 zeroext, ptr nocapture readonly "attr"="x")
declare ptr @llvm.threadlocal.address.p0(ptr)
define internal i32 @one(i32 %x) { ret i32 %x }
define void @calls(double %d, i128 %w) personality ptr @one {
  %f = load ptr, ptr @fp
  %1 = tail call fastcc noundef i32 %f(i32 noundef 1) #3
  %2 = call i32 @one(i32 %1)
  %3 = call i32 @ali(i32 range(i32 0, 2) %2)
  %4 = call i32 (ptr, ...) @printf(ptr @fp, double %d, i128 %w, i32 5)
  call void @ext(i8 zeroext 3, ptr nocapture readonly "attr"="x" align 8 null) nounwind [ "deopt"(i32 1) ]
  %5 = call i32 @one(i32 1, i32 2)
  %6 = invoke i32 @one(i32 9) to label %ok unwind label %bad
ok:
  %7 = call ptr @llvm.threadlocal.address.p0(ptr @t)
  %8 = load i32, ptr getelementptr ([4 x i32], ptr @t, i64 0, i64 2)
  ret void
bad:
  %lp = landingpad { ptr, i32 } cleanup catch ptr @fp
  resume { ptr, i32 } %lp
}
