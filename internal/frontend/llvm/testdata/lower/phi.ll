; Phis that swap, that feed each other across a critical edge, and of two words.
define i64 @swap(i64 %n) {
entry:
  br label %loop
loop:
  %a = phi i64 [ 1, %entry ], [ %b, %loop ]
  %b = phi i64 [ 2, %entry ], [ %a, %loop ]
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i64 %i, 1
  %c = icmp ult i64 %i1, %n
  br i1 %c, label %loop, label %done
done:
  %r = phi i64 [ %a, %loop ]
  %s = add i64 %r, %i
  ret i64 %s
}

define i128 @wide(i1 %c, i128 %x) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi i128 [ 18446744073709551616, %a ], [ %x, %0 ]
  ret i128 %p
}

define i32 @sw(i8 %x) {
entry:
  switch i8 %x, label %d [ i8 -1, label %d
                           i8 3, label %e
                           i8 4, label %e ]
d:
  %p = phi i32 [ 7, %entry ], [ 7, %entry ]
  ret i32 %p
e:
  ret i32 0
}
