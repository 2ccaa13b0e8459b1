// SB+assert: store buffering with sc accesses, asserted after the joins.
//
//     x=1.sc; a=y.sc  ||  y=1.sc; b=x.sc
//     main, after the joins: assert(!(a==0&&b==0))
//
// main joins T2 before T1.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	a = atomic_load_explicit(&y, memory_order_seq_cst);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_seq_cst);
	b = atomic_load_explicit(&x, memory_order_seq_cst);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p2, NULL);
	pthread_join(p1, NULL);
	assert(!(a == 0 && b == 0));
	return 0;
}
