; What stands in for the machine code of Rust's standard library: the functions that
; rust_link.go finds under their mangled names. Layouts are those of rustc 1.8x to 1.9x.
target datalayout = "e-m:e-i64:64-i128:128-n8:16:32:64-S128"

@rust.panic_count = global i64 0

declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare void @abort()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_detach(i64)
declare i32 @sched_yield()

; std::rt::lang_start_internal(&dyn Fn() -> i32, argc, argv, sigpipe): Fn::call is the sixth entry.
define i64 @rust.lang_start(ptr %data, ptr %table, i64 %argc, ptr %argv, i8 %sigpipe) {
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
define i1 @rust.true() {
  ret i1 true
}
define void @rust.panic() {
  call void @abort()
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
define i64 @rust.thread_id() {
  ret i64 1
}
; std::thread::Thread::new: an Arc of what nobody looks into.
define ptr @rust.thread_handle(i64 %id, ptr %name) {
  %p = call ptr @malloc(i64 64)
  store i64 1, ptr %p
  %weak = getelementptr i64, ptr %p, i64 1
  store i64 1, ptr %weak
  ret ptr %p
}
define ptr @rust.current() {
  %p = call ptr @rust.thread_handle(i64 1, ptr null)
  ret ptr %p
}
; Arc<thread::Inner>::drop_slow(&mut self)
define void @rust.drop_handle(ptr %arc) {
  %p = load ptr, ptr %arc
  call void @free(ptr %p)
  ret void
}
; run_spawn_hooks: a list without hooks.
define void @rust.spawn_hooks(ptr %result, ptr %thread) {
  store i64 0, ptr %result
  %ptr = getelementptr i64, ptr %result, i64 1
  store i64 8, ptr %ptr
  %len = getelementptr i64, ptr %result, i64 2
  store i64 0, ptr %len
  %first = getelementptr i64, ptr %result, i64 3
  store ptr null, ptr %first
  ret void
}
; sys::Thread::new(stack, Box<ThreadInit>) -> io::Result<Thread>
define { i64, i64 } @rust.thread_create(i64 %stack, ptr %init) {
  %t = alloca i64
  store i64 0, ptr %t
  %e = call i32 @pthread_create(ptr %t, ptr null, ptr @rust.thread_main, ptr %init)
  %id = load i64, ptr %t
  %r = insertvalue { i64, i64 } { i64 0, i64 undef }, i64 %id, 1
  ret { i64, i64 } %r
}
; ThreadInit is the handle and a Box<dyn FnOnce()>.
define internal ptr @rust.thread_main(ptr %init) {
  %at = getelementptr ptr, ptr %init, i64 1
  %data = load ptr, ptr %at
  %vt = getelementptr ptr, ptr %init, i64 2
  %table = load ptr, ptr %vt
  %slot = getelementptr ptr, ptr %table, i64 3
  %fn = load ptr, ptr %slot
  call void %fn(ptr %data)
  %sizeat = getelementptr i64, ptr %table, i64 1
  %size = load i64, ptr %sizeat
  %none = icmp eq i64 %size, 0
  br i1 %none, label %handle, label %box
box:
  call void @free(ptr %data)
  br label %handle
handle:
  %h = load ptr, ptr %init
  %old = atomicrmw sub ptr %h, i64 1 release
  %last = icmp eq i64 %old, 1
  br i1 %last, label %drop, label %done
drop:
  fence acquire
  call void @free(ptr %h)
  br label %done
done:
  call void @free(ptr %init)
  ret ptr null
}
define void @rust.thread_join(i64 %t) {
  %e = call i32 @pthread_join(i64 %t, ptr null)
  ret void
}
define void @rust.thread_detach(ptr %t) {
  %id = load i64, ptr %t
  %e = call i32 @pthread_detach(i64 %id)
  ret void
}
define void @rust.yield() {
  %e = call i32 @sched_yield()
  ret void
}
; ScopeData begins with the number of running threads.
define void @rust.scope_enter(ptr %scope) {
  %n = atomicrmw add ptr %scope, i64 1 monotonic
  ret void
}
define void @rust.scope_leave(ptr %scope, i1 %panic) {
  %n = atomicrmw sub ptr %scope, i64 1 release
  ret void
}
; sys::sync::Mutex (futex): 0 unlocked, 1 locked, 2 locked with waiters.
define void @rust.lock_contended(ptr %m) {
  br label %again
again:
  %r = cmpxchg ptr %m, i32 0, i32 1 acquire monotonic
  %ok = extractvalue { i32, i1 } %r, 1
  br i1 %ok, label %done, label %again
done:
  ret void
}
