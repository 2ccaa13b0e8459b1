// A thread looks once whether it has to wait. std: "this function is susceptible to spurious wakeups", Condvar::wait. With `looped` it looks again, with `predicate` std does.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let t = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut ready = pair.0.lock().unwrap();
    if cfg!(looped) {
        while !*ready {
            ready = pair.1.wait(ready).unwrap();
        }
    } else if cfg!(predicate) {
        ready = pair.1.wait_while(ready, |r| !*r).unwrap();
    } else if !*ready {
        ready = pair.1.wait(ready).unwrap();
    }
    assert!(*ready);
    drop(ready);
    t.join().unwrap();
}
