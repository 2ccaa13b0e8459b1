// Threads, scoped threads, a Mutex and reference counts of std.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
fn main() {
    let m = Arc::new(Mutex::new(0));
    let hs: Vec<_> = (0..3)
        .map(|i| {
            let m = m.clone();
            thread::spawn(move || {
                let mut g = m.lock().unwrap();
                *g += i;
                i * 10
            })
        })
        .collect();
    let mut s = 0;
    for h in hs {
        s += h.join().unwrap();
    }
    assert!(*m.lock().unwrap() == 3);
    assert_eq!(Arc::strong_count(&m), 1);
    let a = AtomicUsize::new(0);
    thread::scope(|sc| {
        sc.spawn(|| a.fetch_add(1, Ordering::Relaxed));
        let h = sc.spawn(|| a.fetch_add(2, Ordering::Relaxed) * 0 + 50);
        s += h.join().unwrap();
    });
    println!("{} {}", s, a.load(Ordering::SeqCst));
    thread::yield_now();
    drop(thread::spawn(|| ()));
    unsafe { exit(s as i32 + a.load(Ordering::SeqCst) as i32) }
}
extern "C" { fn exit(code: i32) -> !; }
