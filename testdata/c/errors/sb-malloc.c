// sb-malloc: allocation is no fence: store buffering is seen through it.
//
//     x=1; free(malloc(4)); a=y  ||  y=1; free(malloc(4)); b=x
//     main, after the joins: assert(a==1||b==1)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, y;
static int a, b;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	free(malloc(4));
	a = atomic_load_explicit(&y, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	free(malloc(4));
	b = atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(a == 1 || b == 1); // ERROR
	return 0;
}
