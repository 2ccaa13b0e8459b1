// Threads that know themselves, a barrier, and collections, strings and formats of the standard library.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Barrier};
use std::thread;

thread_local! {
    static N: Cell<u32> = Cell::new(1);
    static V: RefCell<Vec<u32>> = RefCell::new(Vec::new());
}

fn main() {
    let main = thread::current().id();
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let t = thread::Builder::new().name("worker".into()).spawn(move || {
        other.wait();
        N.with(|n| n.set(n.get() + 1));
        V.with(|v| v.borrow_mut().push(3));
        let me = thread::current();
        (me.id(), me.name().map(str::to_string), N.get(), V.with(|v| v.borrow().len()))
    });
    barrier.wait();
    let (id, name, n, len) = t.unwrap().join().unwrap();
    assert_ne!(id, main);
    assert_eq!((name.as_deref(), n, len), (Some("worker"), 2, 1));
    assert_eq!((N.get(), V.with(|v| v.borrow().len())), (1, 0));

    let mut words = HashMap::new();
    for w in "a b a".split(' ') {
        *words.entry(w.to_uppercase()).or_insert(0) += 1;
    }
    assert_eq!(words["A"], 2);
    let sorted: BTreeMap<_, _> = words.into_iter().collect();
    assert_eq!(format!("{:?} {:03}", sorted, 7), "{\"A\": 2, \"B\": 1} 007");
    let mut queue: VecDeque<i32> = (1..4).collect();
    queue.rotate_left(1);
    assert_eq!(queue.iter().map(|x| x.to_string()).collect::<Vec<_>>().join("+"), "2+3+1");
    println!("{}", "42".parse::<i32>().unwrap());
    assert!(thread::available_parallelism().unwrap().get() > 1);
}
