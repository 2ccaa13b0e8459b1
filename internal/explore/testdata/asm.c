// Message passing, and store buffering with -DSB, with a fence of inline assembly in each thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)
#define PUT(v) atomic_store_explicit(&v, 1, memory_order_relaxed)

atomic_int x, y;
int a, b;

#ifdef SB
void *t0(void *arg) {
	PUT(x);
	__asm__ volatile(FIRST ::: "memory");
	a = GET(y);
	return 0;
}

void *t1(void *arg) {
	PUT(y);
	__asm__ volatile(SECOND ::: "memory");
	b = GET(x);
	return 0;
}
#else
void *t0(void *arg) {
	PUT(x);
	__asm__ volatile(FIRST ::: "memory");
	PUT(y);
	return 0;
}

void *t1(void *arg) {
	a = b = 1;
	if (GET(y)) {
		__asm__ volatile(SECOND ::: "memory");
		if (!GET(x)) a = b = 0;
	}
	return 0;
}
#endif

int main() {
	pthread_t p, q;
	pthread_create(&p, 0, t0, 0);
	pthread_create(&q, 0, t1, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	assert(a || b);
}
