// Panics that the program catches: drops run on the way, payloads arrive, mutexes are poisoned. A native run passes, too.
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Count<'a>(&'a AtomicUsize);

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn deep(n: usize, dropped: &AtomicUsize) -> usize {
    let _count = Count(dropped);
    if n == 0 {
        panic!("at the bottom, {}", n);
    }
    1 + deep(n - 1, dropped)
}

fn main() {
    let dropped = AtomicUsize::new(0);
    let caught = catch_unwind(AssertUnwindSafe(|| deep(3, &dropped)));
    assert_eq!(dropped.load(Ordering::Relaxed), 4);
    let payload = caught.unwrap_err();
    assert_eq!(payload.downcast_ref::<String>().unwrap(), "at the bottom, 0");
    assert_eq!(catch_unwind(|| 3).unwrap(), 3);

    // One in another, and passed on.
    let outer = catch_unwind(|| {
        let inner = catch_unwind(|| panic!("plain"));
        resume_unwind(inner.unwrap_err());
    });
    assert_eq!(*outer.unwrap_err().downcast_ref::<&str>().unwrap(), "plain");

    // A thread that panics with the lock held.
    let data = Arc::new(Mutex::new(1));
    let other = data.clone();
    let thread = std::thread::spawn(move || {
        let r = catch_unwind(AssertUnwindSafe(|| {
            let mut x = other.lock().unwrap();
            *x = 2;
            panic!("with the lock");
        }));
        assert!(r.is_err());
        #[cfg(wrong)]
        panic!("nobody catches this");
    });
    thread.join().unwrap();
    assert!(data.is_poisoned());
    assert_eq!(*data.lock().unwrap_err().into_inner(), 2);
    #[cfg(late)]
    Option::<i32>::None.unwrap();
}
