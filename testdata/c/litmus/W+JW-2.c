// W+JW: a thread joins another one, whose handle main left in memory, and sees its write.
//
//     main: create T1; id=T1; create T2
//     T1: x=42
//     T2: t=id.sc; join(t); a=x; assert(a==42); y=42
//
// main does not wait for T2.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(pthread_t) id;
static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 42, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	pthread_join(atomic_load(&id), NULL);
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	assert(a == 42);
	atomic_store_explicit(&y, 42, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	atomic_store_explicit(&id, p1, memory_order_relaxed);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
