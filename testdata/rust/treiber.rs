// A stack of nodes that are never freed.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::thread;
struct Node<T> {
    v: Option<T>,
    next: *mut Node<T>,
}
pub struct Stack<T> {
    head: AtomicPtr<Node<T>>,
}
impl<T> Stack<T> {
    pub const fn new() -> Self {
        Stack {
            head: AtomicPtr::new(ptr::null_mut()),
        }
    }
    pub fn push(&self, v: T) {
        let n = Box::into_raw(Box::new(Node {
            v: Some(v),
            next: ptr::null_mut(),
        }));
        loop {
            let h = self.head.load(Relaxed);
            unsafe { (*n).next = h };
            if self
                .head
                .compare_exchange_weak(h, n, Release, Relaxed)
                .is_ok()
            {
                break;
            }
        }
    }
    pub fn pop(&self) -> Option<T> {
        loop {
            let h = self.head.load(Acquire);
            if h.is_null() {
                return None;
            }
            let next = unsafe { (*h).next };
            if self.head.compare_exchange(h, next, AcqRel, Relaxed).is_ok() {
                return unsafe { (*h).v.take() };
            } // leaks the node
        }
    }
}
fn main() {
    static S: Stack<u64> = Stack::new();
    let t = thread::spawn(|| {
        S.push(1);
        S.push(2);
    });
    let u = thread::spawn(|| S.pop().unwrap_or(0));
    let a = u.join().unwrap();
    t.join().unwrap();
    let mut rest = 0;
    while let Some(v) = S.pop() {
        rest += v;
    }
    assert_eq!(a + rest, 3);
}
