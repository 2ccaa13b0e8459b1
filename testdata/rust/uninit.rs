// A variable on the stack that is used without a value. To move it about is no error.
use std::mem::MaybeUninit;

fn main() {
    let x: MaybeUninit<u32> = MaybeUninit::uninit();
    let y = [x, MaybeUninit::new(1)];
    let [a, b] = y;
    #[cfg(wrong)]
    let v = unsafe { a.assume_init() + b.assume_init() };
    #[cfg(not(wrong))]
    let v = unsafe { [a, b][1].assume_init() };
    assert!(v > 0);
}
