// A thread that std runs spins in a loop of the program's own: that is waiting for ever, but no deadlock of a lock.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static TURNS: AtomicU32 = AtomicU32::new(0);

fn main() {
    let t = thread::spawn(|| {
        while TURNS.load(Relaxed) < 2 {} // SPINS
    });
    TURNS.fetch_add(1, Relaxed);
    if cfg!(enough) {
        TURNS.fetch_add(1, Relaxed);
    }
    t.join().unwrap();
}
