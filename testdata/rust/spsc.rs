// A ring for one producer and one consumer. With wrong, the producer does not release what it put there.
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;
use std::thread;
struct Ring<T, const N: usize> {
    buf: [UnsafeCell<MaybeUninit<T>>; N],
    head: AtomicUsize,
    tail: AtomicUsize,
}
unsafe impl<T: Send, const N: usize> Sync for Ring<T, N> {}
impl<T, const N: usize> Ring<T, N> {
    fn new() -> Self {
        Ring {
            buf: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }
    fn push(&self, v: T) -> Result<(), T> {
        let t = self.tail.load(Relaxed);
        if t - self.head.load(Acquire) == N {
            return Err(v);
        }
        unsafe {
            (*self.buf[t % N].get()).write(v);
        }
        self.tail
            .store(t + 1, if cfg!(wrong) { Relaxed } else { Release });
        Ok(())
    }
    fn pop(&self) -> Option<T> {
        let h = self.head.load(Relaxed);
        if h == self.tail.load(Acquire) {
            return None;
        }
        let v = unsafe { (*self.buf[h % N].get()).assume_init_read() };
        self.head.store(h + 1, Release);
        Some(v)
    }
}
fn main() {
    let r = Arc::new(Ring::<Box<u32>, 2>::new());
    let p = r.clone();
    let t = thread::spawn(move || {
        for i in 0..3 {
            let mut v = Box::new(i);
            while let Err(b) = p.push(v) {
                v = b;
                thread::yield_now();
            }
        }
    });
    for i in 0..3 {
        let v = loop {
            if let Some(v) = r.pop() {
                break v;
            }
            thread::yield_now();
        };
        assert_eq!(*v, i);
    }
    t.join().unwrap();
}
