// Two threads poll a flag in a Mutex until main has set it.
use std::sync::Mutex;
use std::thread;
static READY: Mutex<bool> = Mutex::new(false);
fn main() {
    let ts: Vec<_> = (0..2)
        .map(|_| thread::spawn(|| {
            while !*READY.lock().unwrap() {
                thread::yield_now();
            }
        }))
        .collect();
    *READY.lock().unwrap() = true;
    for t in ts { t.join().unwrap(); }
}
