// A producer that gets its value back when there is no room, and tries again.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::thread;

struct Slot<T> {
    full: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    fn put(&self, value: T) -> Result<(), T> {
        if self.full.load(Acquire) {
            return Err(value);
        }
        unsafe { *self.value.get() = Some(value) };
        #[cfg(not(wrong))]
        self.full.store(true, Release);
        #[cfg(wrong)]
        self.full.store(true, Relaxed);
        Ok(())
    }

    fn take(&self) -> Option<T> {
        if !self.full.load(Acquire) {
            return None;
        }
        let value = unsafe { (*self.value.get()).take() };
        self.full.store(false, Release);
        value
    }
}

fn main() {
    let slot = Slot { full: AtomicBool::new(false), value: UnsafeCell::new(None) };
    thread::scope(|s| {
        s.spawn(|| {
            for i in 0..2 {
                let mut text = format!("{i}");
                while let Err(back) = slot.put(text) {
                    text = back;
                }
            }
        });
        for i in 0..2 {
            let text = loop {
                if let Some(text) = slot.take() {
                    break text;
                }
            };
            assert_eq!(text, i.to_string());
        }
    });
}
