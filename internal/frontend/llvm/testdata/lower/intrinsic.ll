declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.objectsize.i64.p0i8(i8*, i1, i1, i1)
declare double @llvm.floor.f64(double)
declare double @llvm.minnum.f64(double, double)
declare void @llvm.trap()
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.va_start(i8*)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare i1 @llvm.expect.i1(i1, i1)
define i32 @f(i8* %p, i8* %q, i32 %a, double %d) {
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %p)
  call void @llvm.dbg.value(metadata i32 %a, metadata !1, metadata !DIExpression(DW_OP_plus_uconst, 1))
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %p, i8* %q, i64 16, i1 false)
  call void @llvm.memset.p0i8.i64(i8* %p, i8 7, i64 8, i1 false)
  %s = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 1)
  %o = extractvalue { i32, i1 } %s, 1
  %e = call i1 @llvm.expect.i1(i1 %o, i1 false)
  br i1 %e, label %bad, label %ok
bad:
  call void @llvm.trap()
  unreachable
ok:
  %l = call i32 @llvm.ctlz.i32(i32 %a, i1 true)
  %r = call i32 @llvm.fshl.i32(i32 %l, i32 %a, i32 5)
  %z = call i64 @llvm.objectsize.i64.p0i8(i8* %p, i1 false, i1 true, i1 false)
  %f = call double @llvm.floor.f64(double %d)
  %m = call double @llvm.minnum.f64(double %f, double %d)
  %c = call i8 @llvm.ucmp.i8.i32(i32 %l, i32 %r)
  call void @llvm.va_start(i8* %p)
  ret i32 %r
}
!1 = !{}
