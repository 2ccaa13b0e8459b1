// Rust without the standard library's binary parts: slices, traits, enums, wide and saturating integers.
#![no_main]
#![allow(arithmetic_overflow)]
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering};
static H: AtomicU64 = AtomicU64::new(7);
fn mix(v: u64) { let h = H.load(Ordering::Relaxed).wrapping_mul(31).wrapping_add(v); H.store(h ^ (h >> 29), Ordering::Relaxed); }
trait Area { fn area(&self) -> u64; }
struct Sq(u64); struct Re { a: u32, b: u16 }
impl Area for Sq { fn area(&self) -> u64 { self.0 * self.0 } }
impl Area for Re { fn area(&self) -> u64 { self.a as u64 * self.b as u64 } }
enum Op { Add(i64, i64), Neg(i32), Nop, Name(&'static str) }
fn eval(o: &Op) -> i64 { match o { Op::Add(a, b) => a.wrapping_add(*b), Op::Neg(a) => -(*a as i64), Op::Nop => 0, Op::Name(s) => s.len() as i64 } }
static COUNT: AtomicI32 = AtomicI32::new(40);
#[inline(never)] fn opt(n: i32) -> Option<u8> { if n > 3 { Some(n as u8) } else { None } }
#[inline(never)] fn res(n: i32) -> Result<u64, i16> { if n % 2 == 0 { Ok(n as u64) } else { Err(-(n as i16)) } }
#[inline(never)] fn tup(a: u128, b: i128) -> (u128, bool, i128) { (a.wrapping_mul(3), a as i128 > b, b.wrapping_sub(a as i128)) }
#[inline(never)] fn id<T>(x: T) -> T { x }
#[no_mangle]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let shapes: [&dyn Area; 3] = [&Sq(5), &Re { a: 7, b: 300 }, &Sq(2)];
    for s in shapes.iter() { mix(s.area()); }
    for o in [Op::Add(3, -9), Op::Neg(12), Op::Nop, Op::Name("hello")].iter() { mix(eval(o) as u64); }
    for i in 0..8 { match opt(i) { Some(x) => mix(x as u64), None => mix(1000) } match res(i) { Ok(x) => mix(x), Err(e) => mix(e as u64) } }
    let (a, b, c) = tup(id(1u128 << 100 | 77), id(-5)); mix(a as u64); mix((a >> 64) as u64); mix(b as u64); mix((c >> 60) as u64);
    mix(id(250u8).saturating_add(10) as u64); mix(id(-100i8).saturating_sub(100) as u64); mix(id(300.7f64) as u8 as u64); mix(id(-5.5f32) as u32 as u64); mix(id(f64::NAN) as i32 as u64); mix(id(1e20f64) as i64 as u64);
    mix(id(7u32).cmp(&9) as i8 as u64); mix(id(-7i64).cmp(&-9) as i8 as u64); mix(id(5u64).rotate_left(62)); mix(id(0x1234u16).swap_bytes() as u64); mix(id(40u32).leading_zeros() as u64);
    mix(COUNT.fetch_add(2, Ordering::AcqRel) as u64); mix(COUNT.compare_exchange(42, 7, Ordering::SeqCst, Ordering::Relaxed).is_ok() as u64); mix(COUNT.fetch_max(50, Ordering::Relaxed) as u64); mix(COUNT.load(Ordering::Acquire) as u64);
    let mut x = 5i32; let p = AtomicPtr::new(&mut x as *mut i32); unsafe { *p.load(Ordering::Acquire) += 3; } mix(x as u64);
    let mut arr = [9u16, 3, 7, 1, 8, 2, 6]; for i in 0..arr.len() { for j in 0..arr.len() - 1 - i { if arr[j] > arr[j + 1] { arr.swap(j, j + 1); } } } for v in &arr { mix(*v as u64); }
    mix(arr.iter().map(|v| *v as u64 * 3).filter(|v| v % 2 == 1).sum()); mix(id(12i32).checked_mul(1 << 30).is_none() as u64); mix(id('x') as u64); let s = id("añb"); mix(s.bytes().fold(0, |a, b| a * 7 + b as u64));
    let h = H.load(Ordering::Relaxed); ((h ^ h >> 8 ^ h >> 16 ^ h >> 32 ^ h >> 48) & 255) as i32
}
