// A compare-and-swap loop with crossbeam's Backoff::spin between the attempts.
use std::cell::Cell;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

struct Backoff { step: Cell<u32> }
impl Backoff {
    fn new() -> Self { Backoff { step: Cell::new(0) } }
    fn spin(&self) {
        for _ in 0..1 << self.step.get().min(6) { hint::spin_loop(); }
        if self.step.get() <= 6 { self.step.set(self.step.get() + 1); }
    }
}
static X: AtomicUsize = AtomicUsize::new(0);
fn add(n: usize) {
    let backoff = Backoff::new();
    let mut old = X.load(Ordering::Relaxed);
    loop {
        match X.compare_exchange_weak(old, old + n, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => old = now,
        }
        backoff.spin();
    }
}
fn main() {
    let ts: Vec<_> = (0..3).map(|_| thread::spawn(|| add(1))).collect();
    for t in ts { t.join().unwrap(); }
    assert_eq!(X.load(Ordering::Relaxed), 3);
}
