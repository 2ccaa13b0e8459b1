// A flag that is polled with a sleep that doubles.
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;
static READY: AtomicBool = AtomicBool::new(false);
static DATA: AtomicU32 = AtomicU32::new(0);
fn main() {
    let t = thread::spawn(|| {
        let mut pause = Duration::from_micros(1);
        while !READY.load(Ordering::Acquire) {
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
        assert_eq!(DATA.load(Ordering::Relaxed), 7);
    });
    DATA.store(7, Ordering::Relaxed);
    READY.store(true, Ordering::Release);
    t.join().unwrap();
}
