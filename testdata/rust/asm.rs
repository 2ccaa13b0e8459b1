// Inline assembly, in Intel's syntax: two threads add to a counter. A native run passes, too.
use std::arch::asm;
use std::thread;

static mut COUNT: u64 = 0;

fn add(p: *mut u64) -> u64 {
    let mut v: u64 = 1;
    unsafe { asm!("lock xadd [{p}], {v}", p = in(reg) p, v = inout(reg) v, options(nostack)) };
    v
}

fn main() {
    let p = &raw mut COUNT as usize;
    let t = thread::spawn(move || add(p as *mut u64));
    let a = add(p as *mut u64);
    let b = t.join().unwrap();
    assert!(a + b == 1);
    let mut y: u32 = 5;
    let (z, m): (u32, u32);
    unsafe { asm!("mov {0:e}, {1:e}", "add {0:e}, 7", "cmp {0:e}, 12", "jne 2f", "inc {1:e}", "2:", out(reg) z, inout(reg) y) };
    assert_eq!((y, z), (6, 12));
    unsafe { asm!("mov eax, dword ptr [{0}]", "movzx ecx, byte ptr [{0}]", "add eax, ecx", in(reg) &y, out("eax") m, out("ecx") _) };
    assert_eq!(m, 12);
}
