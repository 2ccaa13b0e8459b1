// A spin lock with crossbeam's Backoff, written out.
use std::cell::{Cell, UnsafeCell};
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Backoff { step: Cell<u32> }
const SPIN_LIMIT: u32 = 6;
const YIELD_LIMIT: u32 = 10;
impl Backoff {
    fn new() -> Self { Backoff { step: Cell::new(0) } }
    fn snooze(&self) {
        if self.step.get() <= SPIN_LIMIT {
            for _ in 0..1 << self.step.get() { hint::spin_loop(); }
        } else {
            thread::yield_now();
        }
        if self.step.get() <= YIELD_LIMIT { self.step.set(self.step.get() + 1); }
    }
}
struct Spin { held: AtomicBool, value: UnsafeCell<u32> }
unsafe impl Sync for Spin {}
impl Spin {
    fn with<R>(&self, f: impl FnOnce(&mut u32) -> R) -> R {
        let backoff = Backoff::new();
        while self.held.swap(true, Ordering::Acquire) { backoff.snooze(); }
        let r = f(unsafe { &mut *self.value.get() });
        self.held.store(false, Ordering::Release);
        r
    }
}
static S: Spin = Spin { held: AtomicBool::new(false), value: UnsafeCell::new(0) };
fn main() {
    let ts: Vec<_> = (0..3).map(|_| thread::spawn(|| S.with(|v| *v += 1))).collect();
    for t in ts { t.join().unwrap(); }
    assert_eq!(S.with(|v| *v), 3);
}
