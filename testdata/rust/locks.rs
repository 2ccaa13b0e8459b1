// Once, OnceLock and RwLock from two threads.
use std::sync::{Once, OnceLock, RwLock};
use std::thread;

static INIT: Once = Once::new();
static mut N: i32 = 0;
static CELL: OnceLock<String> = OnceLock::new();
static PAIR: RwLock<(i32, i32)> = RwLock::new((0, 0));

fn work(i: i32) {
    if cfg!(once) {
        INIT.call_once(|| unsafe { N = 7 });
        assert_eq!(unsafe { N }, 7);
    } else if cfg!(cell) {
        assert_eq!(CELL.get_or_init(|| "hi".to_string()), "hi");
    } else if i == 0 {
        if cfg!(wrong) {
            return;
        }
        let mut p = PAIR.write().unwrap();
        p.0 = 1;
        p.1 = 1;
    } else {
        let p = PAIR.read().unwrap();
        if cfg!(wrong) {
            thread::spawn(|| *PAIR.write().unwrap() = (2, 2));
            let _again = PAIR.read(); // waits for the writer, which waits for p
        }
        assert_eq!(p.0, p.1);
    }
}

fn main() {
    let t = thread::spawn(|| work(0));
    work(1);
    t.join().unwrap();
}
