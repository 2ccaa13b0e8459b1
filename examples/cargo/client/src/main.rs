//! A producer and a consumer. What is popped was pushed before, and in this order.
use queue::Queue;

fn main() {
    let queue = Queue::<u32, 2>::new();
    std::thread::scope(|s| {
        s.spawn(|| {
            queue.push(1).unwrap();
            queue.push(2).unwrap();
        });
        let first = queue.pop();
        let second = queue.pop();
        match (first, second) {
            (None, None | Some(1)) | (Some(1), None | Some(2)) => {}
            wrong => panic!("popped {wrong:?}"),
        }
    });
}
