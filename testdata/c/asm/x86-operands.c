// Operands, modifiers, flags and labels of x86's inline assembly. A native run passes, too.
#include <assert.h>
#include <stdint.h>

struct pair { uint64_t lo, hi; } __attribute__((aligned(16)));
static struct pair both = {1, 2}, halves;
static int word = 5;
static uint64_t bits[3];

static int jumps(int x)
{
	__asm__ goto("testl %0, %0\n\tjs %l[negative]\n\tje %l2" : : "r"(x), "i"(7) : "cc" : zero, negative);
	return 1;
zero:
	return 0;
negative:
	return -1;
}

int main(void)
{
	int a, b, c;
	long l;
	unsigned char z;
	// Sizes: %b, %w, %k and %q are parts of a register; what is smaller than 32 bits keeps the rest.
	l = 0x1122334455667788;
	__asm__("movb $1, %b0" : "+r"(l));
	assert(l == 0x1122334455667701);
	__asm__("movw $2, %w0" : "+r"(l));
	assert(l == 0x1122334455660002);
	__asm__("movl $3, %k0" : "+r"(l));
	assert(l == 3);
	__asm__("leal 4(%q1,%q1,2), %0" : "=r"(a) : "r"(l));
	assert(a == 13);
	__asm__("addl $%c1, %0" : "+r"(a) : "i"(-4));
	assert(a == 9);
	// Flags as outputs, and as operands of setcc, cmovcc and branches.
	__asm__("cmpl %2, %1" : "=@ccl"(a) : "r"(-1), "r"(1));
	__asm__("cmpl %2, %1" : "=@ccb"(b) : "r"(-1), "r"(1));
	__asm__("addl $1, %1" : "=@cco"(c), "+r"((int){0x7fffffff}));
	assert(a == 1 && b == 0 && c == 1);
	__asm__("shrl $1, %1\n\tsetc %0" : "=q"(z), "+r"(*(&(int){5})));
	assert(z == 1);
	a = 1;
	__asm__("testl %1, %1\n\tcmovzl %2, %0" : "+r"(a) : "r"(0), "r"(8) : "cc");
	assert(a == 8);
	assert(jumps(3) == 1 && jumps(0) == 0 && jumps(-3) == -1);
	// A loop within the template: 10 + 9 + … + 1.
	a = 10, b = 0;
	__asm__("1:\taddl %0, %1\n\tdecl %0\n\tjnz 1b" : "+r"(a), "+r"(b) : : "cc");
	assert(a == 0 && b == 55);
	// Bits.
	__asm__("bsrq %1, %0" : "=r"(l) : "r"(0x500L));
	assert(l == 10);
	__asm__("bsfq %1, %0" : "=r"(l) : "rm"(0x500L));
	assert(l == 8);
	__asm__("bswap %0" : "=r"(a) : "0"(0x01020304));
	assert(a == 0x04030201);
	__asm__("rorl $4, %0" : "+r"(a));
	assert(a == 0x10403020);
	__asm__("popcntq %1, %0" : "=r"(l) : "r"(0xf0fL));
	assert(l == 8);
	__asm__ volatile("lock; btsq %2, %1\n\tsetc %0" : "=q"(z), "+m"(bits) : "r"(70L) : "memory", "cc"); // bit 6 of the second word
	assert(z == 0 && bits[0] == 0 && bits[1] == 64);
	__asm__ volatile("lock; btrq $6, %1" : "=@ccc"(a), "+m"(bits[1]) : : "memory");
	assert(a == 1 && bits[1] == 0);
	__asm__ volatile("lock btcl $3, %0" : "+m"(word));
	assert(word == 13);
	// Carry: 128 bits.
	uint64_t lo = ~0ul, hi = 1;
	__asm__("addq %2, %0\n\tadcq %3, %1" : "+r"(lo), "+r"(hi) : "r"(1L), "r"(0L) : "cc");
	assert(lo == 0 && hi == 2);
	__asm__("subq $1, %0; sbbq $0, %1" : "+r"(lo), "+r"(hi) : : "cc");
	assert(lo == ~0ul && hi == 1);
	// 16 bytes at once.
	uint64_t d = 0, e = 0;
	__asm__ volatile("lock; cmpxchg16b %1" : "=@ccz"(z), "+m"(both), "+a"(d), "+d"(e) : "b"(7L), "c"(8L) : "memory");
	assert(!z && d == 1 && e == 2 && both.lo == 1);
	__asm__ volatile("lock; cmpxchg16b %1" : "=@ccz"(z), "+m"(both), "+a"(d), "+d"(e) : "b"(7L), "c"(8L) : "memory");
	assert(z && both.lo == 7 && both.hi == 8);
	// Two places at once, by their offsets; sections elsewhere and comments are nothing.
	__asm__ volatile("/* both */ movq $3, %0 # low\n\t.pushsection .discard; .long 0; .popsection\n\tmovq $4, 8+%0" : "=m"(halves) : : "memory");
	assert(halves.lo == 3 && halves.hi == 4);
	return 0;
}
