// Two locks in different orders.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let a = Arc::new(Mutex::new(1));
    let b = Arc::new(Mutex::new(2));
    let (a2, b2) = (a.clone(), b.clone());
    let t = thread::spawn(move || {
        let x = a2.lock().unwrap();
        let y = b2.lock().unwrap();
        assert_eq!(*x + *y, 3);
    });
    {
        let y = b.lock().unwrap();
        let x = a.lock().unwrap();
        assert_eq!(*x + *y, 3);
    }
    t.join().unwrap();
}
