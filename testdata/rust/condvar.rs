// A thread waits for a condition; with wrong it may wait for ever, as nobody tells it.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let t = thread::spawn(move || {
        let (lock, changed) = &*other;
        *lock.lock().unwrap() = true;
        if !cfg!(wrong) {
            changed.notify_one();
        }
    });
    let (lock, changed) = &*pair;
    let mut ready = lock.lock().unwrap();
    while !*ready {
        ready = changed.wait(ready).unwrap();
    }
    drop(ready);
    t.join().unwrap();
}
