; What stands in for functions of Rust's standard library, which rust_link.go finds under their mangled
; names. Layouts are those of rustc 1.8x to 1.9x.
target datalayout = "e-m:e-i64:64-i128:128-n8:16:32:64-S128"

declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare void @abort()
declare i32 @sched_yield()
declare void @__ravel_redundant()
declare void @__ravel_retry()
declare i1 @__ravel_rust_write_str(ptr, ptr, i64)
declare i1 @__ravel_rust_write_char(ptr, i32)
declare void @__ravel_rust_text(ptr)
declare void @__ravel_rust_panic(ptr)
declare i1 @__ravel_rust_catching()
declare void @rust.panic_real(ptr, ptr, ptr)
declare void @rust.panic_real_old(ptr, ptr)
declare i32 @__ravel_arrive(ptr, i32)
declare void @__ravel_rust_read_contended(ptr)
declare void @__ravel_rust_write_contended(ptr)
declare void @__ravel_rust_readers_gone()
declare void @__ravel_rust_read_tried(ptr)
declare void @__ravel_rust_write_tried(ptr)
declare void @__ravel_rust_wait(ptr, ptr)
declare i1 @__ravel_rust_wait_timeout(ptr, ptr, i64, i32)
declare void @__ravel_rust_notify_one(ptr)
declare void @__ravel_rust_notify_all(ptr)
declare void @__ravel_rust_scope_enter(ptr)
declare i64 @__ravel_rust_scope_wait(ptr)

; core::fmt::write(&mut dyn Write, Arguments), with Arguments as two words, and as a pointer to them in older versions.
declare i1 @rust.fmt_write(ptr, ptr, ptr, ptr)
declare i1 @rust.fmt_write_old(ptr, ptr, ptr)
; std::sys::thread_local::guard::key::enable()
declare void @rust.guard_enable()

; A test that expects a message in its panic has a 1 here, and finds the last message of its thread in the text: its length, and 256 bytes at most.
@rust.panic_expected = linkonce constant i8 0
@rust.panic_text = linkonce thread_local global [34 x i64] zeroinitializer

; dyn Write: drop, size, alignment, write_str, write_char, write_fmt.
@rust.text_table = internal constant { ptr, i64, i64, ptr, ptr, ptr } { ptr null, i64 264, i64 8, ptr @__ravel_rust_write_str, ptr @__ravel_rust_write_char, ptr null }

; std::rt::lang_start_internal(&dyn Fn() -> i32, argc, argv, sigpipe): Fn::call is the sixth entry.
define i64 @rust.lang_start(ptr %data, ptr %table, i64 %argc, ptr %argv, i8 %sigpipe) {
  call void @rust.guard_enable()
  %slot = getelementptr i8, ptr %table, i64 40
  %fn = load ptr, ptr %slot
  %r = call i32 %fn(ptr %data)
  %w = sext i32 %r to i64
  ret i64 %w
}

define ptr @rust.alloc(i64 %size, i64 %align) {
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}
define ptr @rust.alloc_zeroed(i64 %size, i64 %align) {
  %p = call ptr @calloc(i64 %size, i64 1)
  ret ptr %p
}
define ptr @rust.realloc(ptr %p, i64 %old, i64 %align, i64 %size) {
  %q = call ptr @realloc(ptr %p, i64 %size)
  ret ptr %q
}
define void @rust.dealloc(ptr %p, i64 %size, i64 %align) {
  call void @free(ptr %p)
  ret void
}
define void @rust.nothing() {
  ret void
}
define ptr @rust.null() {
  ret ptr null
}
define void @rust.panic() {
  call void @abort()
  unreachable
}

; core::panicking::panic_fmt(Arguments, &Location): an error, unless a catch_unwind of the program catches it.
define void @rust.panic_fmt(ptr %template, ptr %args, ptr %location) {
  %c = call i1 @__ravel_rust_catching()
  br i1 %c, label %unwind, label %fail
unwind:
  %expected = load i8, ptr @rust.panic_expected
  %keep = icmp ne i8 %expected, 0
  br i1 %keep, label %note, label %real
note:
  call void @__ravel_rust_text(ptr @rust.panic_text)
  %e = call i1 @rust.fmt_write(ptr @rust.panic_text, ptr @rust.text_table, ptr %template, ptr %args)
  br label %real
real:
  call void @rust.panic_real(ptr %template, ptr %args, ptr %location)
  unreachable
fail:
  call void @rust.panic_nounwind(ptr %template, ptr %args)
  unreachable
}
define void @rust.panic_fmt_old(ptr %args, ptr %location) {
  %c = call i1 @__ravel_rust_catching()
  br i1 %c, label %unwind, label %fail
unwind:
  %expected = load i8, ptr @rust.panic_expected
  %keep = icmp ne i8 %expected, 0
  br i1 %keep, label %note, label %real
note:
  call void @__ravel_rust_text(ptr @rust.panic_text)
  %e = call i1 @rust.fmt_write_old(ptr @rust.panic_text, ptr @rust.text_table, ptr %args)
  br label %real
real:
  call void @rust.panic_real_old(ptr %args, ptr %location)
  unreachable
fail:
  call void @rust.panic_nounwind_old(ptr %args)
  unreachable
}
; panic_nounwind_fmt
define void @rust.panic_nounwind(ptr %template, ptr %args) {
  %text = alloca [33 x i64]
  call void @__ravel_rust_text(ptr %text)
  %e = call i1 @rust.fmt_write(ptr %text, ptr @rust.text_table, ptr %template, ptr %args)
  call void @__ravel_rust_panic(ptr %text)
  unreachable
}
define void @rust.panic_nounwind_old(ptr %args) {
  %text = alloca [33 x i64]
  call void @__ravel_rust_text(ptr %text)
  %e = call i1 @rust.fmt_write_old(ptr %text, ptr @rust.text_table, ptr %args)
  call void @__ravel_rust_panic(ptr %text)
  unreachable
}

; std::env::var_os: None.
define void @rust.var_os(ptr %result, ptr %name, i64 %len) {
  store i64 -9223372036854775808, ptr %result
  ret void
}
; The least stack size, which std would read from the environment and keep in a variable.
define i64 @rust.min_stack() {
  ret i64 2097152
}
; std::thread::available_parallelism: Ok(2). std would read files.
define { i64, ptr } @rust.parallelism() {
  ret { i64, ptr } { i64 0, ptr inttoptr (i64 2 to ptr) }
}
; What HashMap starts with: the order of its elements is one of those that are possible.
define { i64, i64 } @rust.random_keys() {
  ret { i64, i64 } { i64 1, i64 2 }
}
define void @rust.yield() {
  %e = call i32 @sched_yield()
  ret void
}
; sys::sync::Mutex (futex): 0 unlocked, 1 locked, 2 locked with waiters. The compare-and-swap that has failed before is to be done again.
define void @rust.lock_contended(ptr %m) {
  call void @__ravel_retry()
  br label %again
again:
  %r = cmpxchg ptr %m, i32 0, i32 1 acquire monotonic
  %ok = extractvalue { i32, i1 } %r, 1
  br i1 %ok, label %done, label %again
done: ; had it come here later, it would not have waited
  call void @__ravel_redundant()
  ret void
}
define void @rust.read_contended(ptr %lock) {
  call void @__ravel_rust_read_contended(ptr %lock)
  ret void
}
define void @rust.write_contended(ptr %lock) {
  call void @__ravel_rust_write_contended(ptr %lock)
  ret void
}
define void @rust.readers_gone(ptr %lock, i32 %state) {
  call void @__ravel_rust_readers_gone()
  ret void
}
define void @rust.read_tried(ptr %lock) {
  call void @__ravel_rust_read_tried(ptr %lock)
  ret void
}
define void @rust.write_tried(ptr %lock) {
  call void @__ravel_rust_write_tried(ptr %lock)
  ret void
}
; sys::sync::Condvar::wait(&self, &Mutex)
define void @rust.condvar_wait(ptr %condition, ptr %mutex) {
  call void @__ravel_rust_wait(ptr %condition, ptr %mutex)
  ret void
}
; sys::sync::Condvar::wait_timeout(&self, &Mutex, Duration) -> bool
define i1 @rust.condvar_wait_timeout(ptr %condition, ptr %mutex, i64 %seconds, i32 %nanoseconds) {
  %woken = call i1 @__ravel_rust_wait_timeout(ptr %condition, ptr %mutex, i64 %seconds, i32 %nanoseconds)
  ret i1 %woken
}
; std::sync::Condvar::notify_one(&self) and notify_all(&self)
define void @rust.condvar_notify_one(ptr %condition) {
  call void @__ravel_rust_notify_one(ptr %condition)
  ret void
}
define void @rust.condvar_notify_all(ptr %condition) {
  call void @__ravel_rust_notify_all(ptr %condition)
  ret void
}
; std::sync::Barrier::wait: the word of its mutex counts arrivals, that of its condition variable the rounds that are over.
define i1 @rust.barrier_wait(ptr %b) {
  %field = getelementptr i8, ptr %b, i64 24
  %num = load i64, ptr %field
  %none = icmp eq i64 %num, 0
  %threads = select i1 %none, i64 1, i64 %num
  %n = trunc i64 %threads to i32
  %over = getelementptr i8, ptr %b, i64 32
  %before = call i32 @__ravel_arrive(ptr %b, i32 %n)
  %rounds = udiv i32 %before, %n
  %round = add i32 %rounds, 1
  %full = mul i32 %round, %n
  %after = add i32 %before, 1
  %last = icmp eq i32 %after, %full
  br i1 %last, label %open, label %wait
open:
  %old = atomicrmw add ptr %over, i32 1 release
  ret i1 true
wait:
  %now = load atomic i32, ptr %over acquire, align 4
  %d = sub i32 %now, %round
  %early = icmp slt i32 %d, 0
  br i1 %early, label %wait, label %done
done:
  ret i1 false
}
; std::thread::scoped::ScopeData::increment_num_running_threads, and the load of its counter in scope
define void @rust.scope_enter(ptr %scope) {
  call void @__ravel_rust_scope_enter(ptr %scope)
  ret void
}
define i64 @rust.scope_wait(ptr %counter) {
  %n = call i64 @__ravel_rust_scope_wait(ptr %counter)
  ret i64 %n
}
