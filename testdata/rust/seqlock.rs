// A sequence lock. With wrong, the reader does not order its reads before the second look at the number.
use std::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering::*};
use std::thread;
struct Seq {
    s: AtomicU32,
    a: AtomicU64,
    b: AtomicU64,
}
impl Seq {
    fn write(&self, v: u64) {
        let s = self.s.load(Relaxed);
        self.s.store(s.wrapping_add(1), Relaxed);
        fence(Release);
        self.a.store(v, Relaxed);
        self.b.store(v, Relaxed);
        self.s.store(s.wrapping_add(2), Release);
    }
    fn read(&self) -> (u64, u64) {
        loop {
            let s = self.s.load(Acquire);
            if s & 1 == 0 {
                let r = (self.a.load(Relaxed), self.b.load(Relaxed));
                if !cfg!(wrong) {
                    fence(Acquire);
                }
                if self.s.load(Relaxed) == s {
                    return r;
                }
            }
            std::hint::spin_loop();
        }
    }
}
static L: Seq = Seq {
    s: AtomicU32::new(0),
    a: AtomicU64::new(0),
    b: AtomicU64::new(0),
};
fn main() {
    let w = thread::spawn(|| {
        L.write(1);
        L.write(2)
    });
    let r = thread::spawn(|| {
        let (a, b) = L.read();
        assert_eq!(a, b);
    });
    w.join().unwrap();
    r.join().unwrap();
}
