// A value that is published once. The flag must be stored with Release: `--cfg right` does that.
//
//     ravel check examples/once.rs
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const PUBLISH: Ordering = if cfg!(right) { Ordering::Release } else { Ordering::Relaxed };

struct Once {
    value: UnsafeCell<u32>,
    ready: AtomicBool,
}

unsafe impl Sync for Once {}

static ONCE: Once = Once { value: UnsafeCell::new(0), ready: AtomicBool::new(false) };

fn main() {
    let writer = thread::spawn(|| {
        unsafe { *ONCE.value.get() = 7 };
        ONCE.ready.store(true, PUBLISH);
    });
    if ONCE.ready.load(Ordering::Acquire) {
        assert_eq!(unsafe { *ONCE.value.get() }, 7);
    }
    writer.join().unwrap();
}
