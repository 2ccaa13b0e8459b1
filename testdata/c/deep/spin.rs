// A spin lock that is given back too weakly if two others wait for it. With --cfg right it is not.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::*};
use std::thread;

struct Shared(UnsafeCell<i32>);
unsafe impl Sync for Shared {}

static LOCKED: AtomicBool = AtomicBool::new(false);
static WAITING: AtomicI32 = AtomicI32::new(0);
static NOISE: AtomicI32 = AtomicI32::new(0);
static DATA: Shared = Shared(UnsafeCell::new(0));

fn work() {
    for _ in 0..2 {
        WAITING.fetch_add(1, Relaxed);
        while LOCKED.load(Relaxed) || LOCKED.swap(true, Acquire) {}
        let others = WAITING.fetch_sub(1, Relaxed) - 1;
        unsafe { *DATA.0.get() += 1 };
        LOCKED.store(false, if cfg!(right) || others < 2 { Release } else { Relaxed });
    }
}

fn noise() {
    for _ in 0..8 {
        NOISE.fetch_add(1, Relaxed);
    }
}

fn main() {
    let mut threads = Vec::new();
    for _ in 0..3 {
        threads.push(thread::spawn(work));
        threads.push(thread::spawn(noise));
    }
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(unsafe { *DATA.0.get() }, 6);
}
