// A value that is set once and read by others. `Relaxed` does not publish what
// was written before: the reader may see the flag and an old value.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Once {
    set: AtomicBool,
    value: UnsafeCell<u32>,
}
unsafe impl Sync for Once {}

static CELL: Once = Once { set: AtomicBool::new(false), value: UnsafeCell::new(0) };

fn main() {
    let writer = thread::spawn(|| {
        unsafe { *CELL.value.get() = 7 };
        CELL.set.store(true, Ordering::Relaxed);
    });
    if CELL.set.load(Ordering::Acquire) {
        assert_eq!(unsafe { *CELL.value.get() }, 7);
    }
    writer.join().unwrap();
}
