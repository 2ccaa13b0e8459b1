// What comes before unpark happens before the end of the park. With wrong, READY says so too early; with lost, nobody wakes the thread;
// with timeout, nobody need wake it.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

static mut DATA: u32 = 0;
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let t = thread::spawn(|| {
        if cfg!(timeout) {
            thread::park_timeout(Duration::from_millis(1));
            return;
        }
        thread::park();
        if READY.load(Relaxed) {
            assert_eq!(unsafe { DATA }, 5);
        }
    });
    if cfg!(wrong) {
        t.thread().unpark();
    }
    unsafe { DATA = 5 };
    if !cfg!(lost) {
        t.thread().unpark();
    }
    READY.store(true, Relaxed);
    t.join().unwrap();
}
