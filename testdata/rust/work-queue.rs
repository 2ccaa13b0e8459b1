// Two workers take items from a queue until it is closed. With `tried` they first try the lock, and count how often it was taken.
use std::sync::{Condvar, Mutex};
use std::thread;

static QUEUE: Mutex<(u32, bool)> = Mutex::new((0, false));
static CHANGED: Condvar = Condvar::new();

fn take() -> bool {
    let mut tried = 0;
    let first = if cfg!(tried) { QUEUE.try_lock().ok() } else { None };
    let mut queue = first.unwrap_or_else(|| {
        tried += 1;
        QUEUE.lock().unwrap()
    });
    loop {
        if queue.0 > 0 {
            queue.0 -= 1;
            assert!(!cfg!(tried) || tried == 0);
            return true;
        }
        if queue.1 {
            return false;
        }
        queue = CHANGED.wait(queue).unwrap();
    }
}

fn work() -> u32 {
    let mut n = 0;
    while take() {
        n += 1;
    }
    n
}

fn main() {
    let workers = [thread::spawn(work), thread::spawn(work)];
    for _ in 0..2 {
        QUEUE.lock().unwrap().0 += 1;
        CHANGED.notify_one();
    }
    QUEUE.lock().unwrap().1 = true;
    CHANGED.notify_all();
    let done: u32 = workers.into_iter().map(|t| t.join().unwrap()).sum();
    assert_eq!(done, 2);
}
