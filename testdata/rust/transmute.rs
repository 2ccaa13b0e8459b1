// A debug build checks that a transmuted number is a variant, by a switch on 128 bits.
#[repr(u8)]
#[derive(PartialEq, Debug, Clone, Copy)]
enum Colour {
    Red = 1,
    Green = 2,
    Blue = 7,
}

#[inline(never)]
fn colour(n: u8) -> Colour {
    unsafe { std::mem::transmute(n) }
}

fn main() {
    let numbers = vec![1u8, 2, 7];
    assert_eq!(colour(numbers[0]), Colour::Red);
    assert_eq!(colour(numbers[1]), Colour::Green);
    assert_ne!(colour(numbers[2]), Colour::Green);
    assert_eq!(colour(7), Colour::Blue);
}
