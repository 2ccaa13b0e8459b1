// The litmus tests of the thesis, appendix B: -DTEST and the fences F0 and F1 choose one.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#define relaxed
#define acquire __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define release __atomic_thread_fence(__ATOMIC_RELEASE)
#define seq_cst __atomic_thread_fence(__ATOMIC_SEQ_CST)

int x, y;

#if defined SB
void *t0(void *u) { x = 1; F0; return (void *)(intptr_t)y; }
void *t1(void *u) { y = 1; F1; return (void *)(intptr_t)x; }
#define CHECK assert(r0 || r1)
#elif defined LB
void *t0(void *u) { int r = x; F0; y = 1; return (void *)(intptr_t)r; }
void *t1(void *u) { int r = y; F1; x = 1; return (void *)(intptr_t)r; }
#define CHECK assert(!r0 || !r1)
#elif defined IRIW
void *t0(void *u) { int a = x; F0; int b = y; return (void *)(intptr_t)(10 * a + b); }
void *t1(void *u) { int b = y; F1; int a = x; return (void *)(intptr_t)(10 * a + b); }
#define CHECK assert(r0 != 10 || r1 != 1)
#elif defined IRIWaddr
void *t0(void *u) { int a = x; F0; int b = *(&y + a - a); return (void *)(intptr_t)(10 * a + b); }
void *t1(void *u) { int b = y; F1; int a = *(&x + b - b); return (void *)(intptr_t)(10 * a + b); }
#define CHECK assert(r0 != 10 || r1 != 1)
#elif defined MP
void *t0(void *u) { x = 1; F0; y = 1; return 0; }
void *t1(void *u) { int b = y; F1; int a = x; assert(!b || a); return 0; }
#define CHECK
#elif defined MPdep
void *t0(void *u) { x = 1; F0; y = 1; return 0; }
void *t1(void *u) { int b = y; F1; b = b + 1; int a = x; b = b - 1; assert(!b || a); return 0; }
#define CHECK
#endif

void *writer(void *u) { y = 1; return 0; }

int main()
{
	pthread_t a, b, c;
	void *p, *q;
	pthread_create(&a, 0, t0, 0);
#if defined IRIW || defined IRIWaddr
	pthread_create(&c, 0, writer, 0);
#endif
	pthread_create(&b, 0, t1, 0);
#if defined IRIW || defined IRIWaddr
	x = 1;
#endif
	pthread_join(a, &p);
	pthread_join(b, &q);
	int r0 = (intptr_t)p, r1 = (intptr_t)q;
	CHECK;
}
