// Scoped threads. Executions differ by what the program does, not by the order in which std counts the
// threads down or drops their handles.
#[cfg(not(wrong))]
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::thread;

// Three threads count: six orders.
#[cfg(not(any(nested, moved, wrong, forget)))]
fn main() {
    let n = AtomicU32::new(0);
    thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| n.fetch_add(1, Relaxed));
        }
    });
    assert_eq!(n.into_inner(), 3);
}

// Threads of a scope start others of it, one of them from a scope of its own. The end of the inner scope
// waits for its threads only: two orders of the stores to x and y.
#[cfg(nested)]
fn main() {
    let (x, y, z, w) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|s| {
        s.spawn(|| x.store(1, Release));
        thread::scope(|t| {
            t.spawn(|| {
                y.store(1, Relaxed);
                s.spawn(|| z.store(1, Relaxed));
            });
        });
        assert_eq!(y.load(Relaxed), 1);
        let h = s.spawn(|| x.load(Acquire));
        w.store(h.join().unwrap() + 1, Relaxed);
    });
    assert_eq!(x.into_inner() + y.into_inner() + z.into_inner(), 3);
    assert!(w.into_inner() > 0);
}

// A result with something to drop: the thread drops it, or the thread that drops the handle.
#[cfg(moved)]
fn main() {
    struct Count<'a>(&'a AtomicU32);
    impl Drop for Count<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let n = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| Count(&n));
    });
    assert_eq!(n.into_inner(), 1);
}

#[cfg(wrong)]
fn main() {
    let mut n = 0;
    struct Send(*mut i32);
    unsafe impl Sync for Send {}
    let p = &Send(&mut n);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(move || unsafe { *p.0 += 1 });
        }
    });
}

// Nobody waits for a thread without a handle: it comes before the load or after it.
#[cfg(forget)]
fn main() {
    static X: AtomicU32 = AtomicU32::new(0);
    thread::spawn(|| X.store(1, Relaxed));
    assert!(X.load(Relaxed) < 2);
}
