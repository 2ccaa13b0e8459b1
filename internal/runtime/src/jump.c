// setjmp and longjmp. A jump is an exception that only its frame takes (frontend/llvm/jump.go): the functions in between end.
#include "rt.h"

_Noreturn void __ravel_unwind(void *e);

// What the front end writes to a jmp_buf at a setjmp: the address of an object of the frame, and which setjmp of the function it is.
typedef struct {
	u64 frame;
	u64 place;
} jmp_buf;

typedef struct {
	u64 frame, place;
	int value;
} jump;

static _Thread_local jump pending;

_Noreturn void longjmp(jmp_buf *to, int value)
{
	pending.frame = to->frame;
	pending.place = to->place;
	pending.value = value ? value : 1;
	__ravel_unwind(&pending);
}

_Noreturn void _longjmp(jmp_buf *to, int value) { longjmp(to, value); }
_Noreturn void siglongjmp(jmp_buf *to, int value) { longjmp(to, value); }
_Noreturn void __longjmp_chk(jmp_buf *to, int value) { longjmp(to, value); }

// __ravel_lands returns which setjmp of a frame, counted from 1, the exception e jumps to, 0 if it is none of it.
u64 __ravel_lands(void *e, u64 frame) { return e == &pending && pending.frame == frame ? pending.place : 0; }
int __ravel_landed(void) { return pending.value; }
_Bool __ravel_is_jump(void *e) { return e == &pending; }
