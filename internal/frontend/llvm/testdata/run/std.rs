// Rust with main and the parts of std that are generic: boxes, vectors, strings, reference counts.
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
struct Tree { v: i64, kids: Vec<Tree> }
impl Drop for Tree { fn drop(&mut self) { self.v = 0; } }
fn sum(t: &Tree) -> i64 { t.v + t.kids.iter().map(sum).sum::<i64>() }
fn main() {
    let t = Tree { v: 3, kids: vec![Tree { v: 5, kids: vec![] }, Tree { v: -7, kids: vec![Tree { v: 100, kids: vec![] }] }] };
    let mut v: Vec<u32> = (1..20).collect(); v.retain(|x| x % 3 != 0); v.reverse(); v.push(7);
    let b: Box<dyn Fn(u32) -> u32> = { let k = v.len() as u32; Box::new(move |x| x * k) };
    let a = Arc::new(5u8); let c = a.clone(); let r = Rc::new(String::from("hello")); let r2 = Rc::clone(&r);
    let mut q = VecDeque::new(); for i in 0..9 { q.push_back(i); if i % 2 == 0 { q.pop_front(); } }
    let code = sum(&t) as u32 + b(3) + Arc::strong_count(&c) as u32 + r2.len() as u32 + q.iter().sum::<u32>() + v[2];
    assert!(code > 0);
    if code % 256 != 0 { unsafe { exit(code as i32 & 255) } }
}
extern "C" { fn exit(code: i32) -> !; }
