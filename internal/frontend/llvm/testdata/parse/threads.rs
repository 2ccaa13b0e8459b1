use std::sync::atomic::*; use std::sync::Arc; use std::thread;
static X: AtomicUsize = AtomicUsize::new(0);
fn main(){ let a = Arc::new(AtomicI32::new(3)); let b=a.clone(); let h = thread::spawn(move || { X.fetch_add(1, Ordering::AcqRel); b.store(5, Ordering::Release); });
 let v = a.load(Ordering::Acquire); h.join().unwrap(); println!("{} {}", v, X.load(Ordering::SeqCst) as u128); assert!(v==3 || v==5); }
