// Three threads meet at a std::sync::Barrier, twice. Each reads what all have counted before.
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Barrier;
use std::thread;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static LEADERS: AtomicUsize = AtomicUsize::new(0);
static MEET: Barrier = Barrier::new(3);

fn work() {
    COUNT.fetch_add(1, Relaxed);
    if cfg!(leader) {
        if MEET.wait().is_leader() {
            LEADERS.fetch_add(1, Relaxed);
        }
    } else {
        MEET.wait();
    }
    assert_eq!(COUNT.load(Relaxed), 3);
    if cfg!(twice) {
        MEET.wait();
    }
}

fn main() {
    let threads = if cfg!(short) { 2 } else { 3 };
    let all: Vec<_> = (0..threads).map(|_| thread::spawn(work)).collect();
    for t in all {
        t.join().unwrap();
    }
    assert!(!cfg!(leader) || LEADERS.load(Relaxed) == 1);
}
