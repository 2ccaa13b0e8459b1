//! Two producers: none of their values is lost.
use queue::Queue;

fn main() {
    let queue = Queue::<u32, 2>::new();
    std::thread::scope(|s| {
        s.spawn(|| queue.push(1).unwrap());
        queue.push(2).unwrap();
    });
    let sum = queue.pop().unwrap() + queue.pop().unwrap();
    assert_eq!(sum, 3);
}
