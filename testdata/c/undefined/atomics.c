// Atomic accesses that are not aligned, and the right programs beside them.
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int one = 1;

#if defined LOCAL
int main(void) { _Alignas(16) char b[16] = {0}; _Atomic int *p = (_Atomic int *)(b + 1); atomic_store(p, 1); return 0; }
#elif defined LOCAL_LOAD
int main(void) { _Alignas(16) char b[16] = {0}; return atomic_load((_Atomic short *)(b + 3)); }
#elif defined GLOBAL
static _Alignas(16) char b[16];
int main(void) { return atomic_fetch_add((_Atomic int *)(b + 2 * one), 1); }
#elif defined HEAP
int main(void) { char *b = calloc(2, 8); int e = 0; return !atomic_compare_exchange_strong((_Atomic int *)(b + one), &e, 1); }
#elif defined ALIGNED_OK
struct __attribute__((packed)) p { char c; int i; };
int main(void)
{
	_Alignas(16) char b[16] = {0};
	atomic_store((_Atomic int *)(b + 4), 1);
	struct p p = {0, 0};
	p.i = 5; // plain accesses may be misaligned here: the compiler knows
	return atomic_load((_Atomic short *)(b + 4)) - 1 + p.i - 5;
}
#endif
