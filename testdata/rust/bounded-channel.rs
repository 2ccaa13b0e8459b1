use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Condvar, Mutex, OnceLock, RwLock, Weak};
use std::thread;
#[derive(Debug)]
pub enum TrySendError<T> {
    Full(T),
    Closed(T),
}
impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => write!(f, "full"),
            Self::Closed(_) => write!(f, "closed"),
        }
    }
}
struct Inner<T> {
    q: Mutex<VecDeque<T>>,
    not_empty: Condvar,
    cap: usize,
    senders: AtomicUsize,
}
pub struct Sender<T>(Arc<Inner<T>>);
pub struct Receiver<T>(Arc<Inner<T>>);
impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.senders.fetch_add(1, Ordering::Relaxed);
        Sender(self.0.clone())
    }
}
impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.0.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _g = self.0.q.lock().unwrap();
            self.0.not_empty.notify_all();
        }
    }
}
impl<T> Sender<T> {
    pub fn try_send(&self, v: T) -> Result<(), TrySendError<T>> {
        let mut q = self.0.q.lock().unwrap();
        if q.len() == self.0.cap {
            return Err(TrySendError::Full(v));
        }
        q.push_back(v);
        drop(q);
        self.0.not_empty.notify_one();
        Ok(())
    }
}
impl<T> Receiver<T> {
    pub fn recv(&self) -> Option<T> {
        let mut q = self.0.q.lock().unwrap();
        loop {
            if let Some(v) = q.pop_front() {
                return Some(v);
            }
            if self.0.senders.load(Ordering::Acquire) == 0 {
                return None;
            }
            q = self.0.not_empty.wait(q).unwrap();
        }
    }
}
impl<T> Iterator for Receiver<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.recv()
    }
}
pub fn channel<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    let i = Arc::new(Inner {
        q: Mutex::new(VecDeque::with_capacity(cap)),
        not_empty: Condvar::new(),
        cap,
        senders: AtomicUsize::new(1),
    });
    (Sender(i.clone()), Receiver(i))
}
static NAME: OnceLock<String> = OnceLock::new();
fn main() {
    let (tx, rx) = channel::<(u8, Box<dyn Fn(u8) -> u32 + Send>)>(2);
    let tx2 = tx.clone();
    let h = thread::Builder::new()
        .name("producer".into())
        .spawn(move || {
            tx2.try_send((1, Box::new(|x| x as u32 + 1)))
                .unwrap_or_else(|e| panic!("{e}"));
        })
        .unwrap();
    NAME.get_or_init(|| format!("{:>4}", 7));
    drop(tx);
    let total: u32 = rx.map(|(x, f)| f(x)).sum();
    assert_eq!(total, 2);
    h.join().unwrap();
    assert_eq!(NAME.get().map(String::as_str), Some("   7"));
    let _: (
        Option<Weak<u8>>,
        Option<RwLock<u8>>,
        Option<mpsc::Sender<u8>>,
    ) = (None, None, None);
}
