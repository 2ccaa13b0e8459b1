// A reference count like that of Arc. With wrong, the last owner does not acquire what the others did.
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicUsize, Ordering};
use std::thread;

struct Counted<T> {
    count: AtomicUsize,
    value: T,
}

struct Shared<T>(NonNull<Counted<T>>);

unsafe impl<T: Send + Sync> Send for Shared<T> {}

impl<T> Shared<T> {
    fn new(value: T) -> Self {
        Shared(NonNull::from(Box::leak(Box::new(Counted { count: AtomicUsize::new(1), value }))))
    }

    fn get(&self) -> &Counted<T> {
        unsafe { self.0.as_ref() }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        self.get().count.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.get().count.fetch_sub(1, Ordering::Release) == 1 {
            if !cfg!(wrong) {
                fence(Ordering::Acquire);
            }
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

fn main() {
    let a = Shared::new("hello".to_string());
    let b = a.clone();
    let t = thread::spawn(move || assert_eq!(b.get().value, "hello"));
    assert_eq!(a.get().value.len(), 5);
    drop(a);
    t.join().unwrap();
}
