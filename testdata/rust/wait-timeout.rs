// A wait with a timeout, in a loop that looks at the condition. Each round has a new deadline. With `once` the
// deadline is that of the whole loop. With `give_up` main does not wait again, and must not rely on what it waited for.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

fn main() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = shared.clone();
    let t = thread::spawn(move || {
        *theirs.0.lock().unwrap() = true;
        theirs.1.notify_one();
    });
    let (ready, changed) = &*shared;
    let short = Duration::from_millis(10);
    let mut guard = ready.lock().unwrap();
    if cfg!(once) {
        guard = changed.wait_timeout_while(guard, short, |r| !*r).unwrap().0;
    } else {
        while !*guard {
            guard = changed.wait_timeout(guard, short).unwrap().0;
            if cfg!(give_up) {
                assert!(*guard);
            }
        }
    }
    drop(guard);
    t.join().unwrap();
}
