@x = global i32 0
@p = global ptr null
define i32 @ops(ptr %q, i128 %w) {
  %1 = load atomic i32, ptr @x acquire, align 4
  store atomic i32 %1, ptr @x release, align 4
  %2 = load atomic volatile i32, ptr @x unordered, align 4
  %3 = cmpxchg weak ptr @x, i32 %1, i32 7 acq_rel monotonic, align 4
  %4 = extractvalue { i32, i1 } %3, 1
  %5 = atomicrmw add ptr @x, i32 -1 seq_cst
  %6 = atomicrmw umax ptr @x, i32 5 monotonic
  %7 = atomicrmw xchg ptr @p, ptr @x release
  %8 = atomicrmw fadd ptr %q, float 1.5 seq_cst
  %9 = cmpxchg ptr %q, i128 %w, i128 1 seq_cst acquire
  %10 = load atomic ptr, ptr @p seq_cst, align 8
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  fence acq_rel
  %11 = zext i1 %4 to i32
  ret i32 %11
}
