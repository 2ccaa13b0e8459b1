// What panics say, and where.
use std::thread;

fn main() {
    let v = vec![1, 2, 3];
    let t = thread::spawn(move || {
        let i = v.len();
        if cfg!(bounds) {
            return v[i];
        }
        assert_eq!(v[0] + 1, v[2], "in order {}", i);
        0
    });
    let _ = t.join();
}
