// Channels need no bound: a receiver waits for a message, a sender for room.
use std::sync::mpsc;
use std::thread;

// Two senders, in any order.
#[cfg(not(any(room, meet, poll, wrong, full, race)))]
fn main() {
    let (tx, rx) = mpsc::channel();
    let tx2 = tx.clone();
    thread::spawn(move || tx.send(1).unwrap());
    thread::spawn(move || tx2.send(2).unwrap());
    let got: Vec<i32> = rx.iter().collect();
    assert!(got == [1, 2] || got == [2, 1]);
}

#[cfg(room)]
fn main() {
    let (tx, rx) = mpsc::sync_channel(1);
    let sender = thread::spawn(move || (1..4).for_each(|i| tx.send(i).unwrap()));
    assert!(rx.iter().eq(1..4));
    sender.join().unwrap();
}

#[cfg(meet)]
fn main() {
    let (tx, rx) = mpsc::sync_channel(0);
    let mut x = 1;
    thread::scope(|s| {
        s.spawn(move || tx.send(1).unwrap());
        x += rx.recv().unwrap();
    });
    assert_eq!(x, 2);
}

#[cfg(poll)]
fn main() {
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || tx.send(String::from("a")).unwrap());
    let text = loop {
        match rx.try_recv() {
            Ok(text) => break text,
            Err(mpsc::TryRecvError::Empty) => thread::yield_now(),
            Err(mpsc::TryRecvError::Disconnected) => unreachable!(),
        }
    };
    assert_eq!(text, "a");
}

// A sender is left over.
#[cfg(wrong)]
fn main() {
    let (tx, rx) = mpsc::channel();
    let tx2 = tx.clone();
    let sender = thread::spawn(move || tx2.send(1).unwrap());
    for i in rx {
        assert_eq!(i, 1);
    }
    sender.join().unwrap();
    drop(tx);
}

#[cfg(full)]
fn main() {
    let (tx, rx) = mpsc::sync_channel(1);
    let sender = thread::spawn(move || (1..3).for_each(|i| tx.send(i).unwrap()));
    sender.join().unwrap();
    assert_eq!(rx.recv(), Ok(1));
}

// The message says nothing about what comes after it.
#[cfg(race)]
fn main() {
    static mut X: i32 = 0;
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || unsafe {
        tx.send(()).unwrap();
        X = 1;
    });
    rx.recv().unwrap();
    assert!(unsafe { X } < 2);
}
