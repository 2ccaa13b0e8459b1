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

// pthread_cleanup_push and pthread_cleanup_pop, as glibc's header has them in C: push is a setjmp, and a thread that exits jumps to the handlers, the
// last one first.

enum { CLEANUPS = 16 };

static _Thread_local void *cleanups[CLEANUPS];
static _Thread_local u32 cleanups_left;
static _Thread_local void *exits_with;

// In programs with handlers, pthread_exit calls __ravel_cleanups (frontend/llvm/optional.go).
void __ravel_cleanups(void *r)
{
	exits_with = r;
	if (cleanups_left)
		longjmp(cleanups[--cleanups_left], 1);
}

void __pthread_register_cancel(void *buf)
{
	if (cleanups_left == CLEANUPS)
		__ravel_error("unsupported", "a thread has more than 16 cleanup handlers");
	cleanups[cleanups_left++] = buf;
}

void __pthread_unregister_cancel(void *buf) { cleanups_left--; }

_Noreturn void __pthread_unwind_next(void *buf)
{
	__ravel_cleanups(exits_with);
	__ravel_exit(exits_with);
}
