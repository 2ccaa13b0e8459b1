//! A bounded queue for several producers and consumers (after Dmitry Vyukov's). Each slot has a number: that of the push that may
//! fill it, or one more if it is full. With `--cfg wrong`, a push publishes its slot with a relaxed store.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

const PUBLISH: Ordering = if cfg!(wrong) { Ordering::Relaxed } else { Ordering::Release };

struct Slot<T> {
    turn: AtomicUsize,
    value: UnsafeCell<Option<T>>,
}

pub struct Queue<T, const N: usize> {
    slots: [Slot<T>; N],
    pushes: AtomicUsize,
    pops: AtomicUsize,
}

unsafe impl<T: Send, const N: usize> Sync for Queue<T, N> {}

impl<T, const N: usize> Queue<T, N> {
    pub fn new() -> Self {
        Queue {
            slots: std::array::from_fn(|i| Slot { turn: AtomicUsize::new(i), value: UnsafeCell::new(None) }),
            pushes: AtomicUsize::new(0),
            pops: AtomicUsize::new(0),
        }
    }

    /// Returns the value if the queue is full.
    pub fn push(&self, value: T) -> Result<(), T> {
        loop {
            let at = self.pushes.load(Ordering::Relaxed);
            let slot = &self.slots[at % N];
            let turn = slot.turn.load(Ordering::Acquire);
            if turn < at {
                return Err(value);
            }
            if turn == at && self.pushes.compare_exchange(at, at + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                unsafe { *slot.value.get() = Some(value) };
                slot.turn.store(at + 1, PUBLISH);
                return Ok(());
            }
        }
    }

    /// Returns None if the queue is empty.
    pub fn pop(&self) -> Option<T> {
        loop {
            let at = self.pops.load(Ordering::Relaxed);
            let slot = &self.slots[at % N];
            let turn = slot.turn.load(Ordering::Acquire);
            if turn < at + 1 {
                return None;
            }
            if turn == at + 1 && self.pops.compare_exchange(at, at + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                let value = unsafe { (*slot.value.get()).take() };
                slot.turn.store(at + N, Ordering::Release);
                return value;
            }
        }
    }
}

impl<T, const N: usize> Default for Queue<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_two_consumers_gets_it() {
        let queue = Queue::<u32, 2>::new();
        queue.push(7).unwrap();
        let (a, b) = std::thread::scope(|s| {
            let other = s.spawn(|| queue.pop());
            (queue.pop(), other.join().unwrap())
        });
        assert!(a.is_some() != b.is_some());
        assert_eq!(a.or(b), Some(7));
    }
}
