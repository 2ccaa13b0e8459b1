// RwLock with two readers and a writer, or three of either kind; and readers that meet a waiting writer.
use std::sync::RwLock;
use std::thread;

static LOCK: RwLock<u32> = RwLock::new(0);

fn read() {
    let n = LOCK.read().unwrap();
    assert!(*n < 4);
}

fn write() {
    *LOCK.write().unwrap() += 1;
}

#[cfg(not(any(tries, again, downgrade)))]
fn main() {
    let all: [fn(); 3] = if cfg!(readers) {
        [read, read, read]
    } else if cfg!(writers) {
        [write, write, write]
    } else {
        [read, read, write]
    };
    let threads = all.map(thread::spawn);
    for t in threads {
        t.join().unwrap();
    }
}

// main has the lock for reading all the time: try_read only fails because a writer waits.
#[cfg(tries)]
fn main() {
    let _n = LOCK.read().unwrap();
    thread::spawn(write);
    assert!(LOCK.try_read().is_ok());
}

#[cfg(again)]
fn main() {
    thread::spawn(write);
    let _n = LOCK.read().unwrap();
    read();
}

// A writer that has waited leaves a mark that others wait, and it stays when the lock becomes one for reading.
#[cfg(downgrade)]
fn main() {
    let t = thread::spawn(read);
    let w = LOCK.write().unwrap();
    let _r = std::sync::RwLockWriteGuard::downgrade(w);
    thread::spawn(read).join().unwrap();
    t.join().unwrap();
}
