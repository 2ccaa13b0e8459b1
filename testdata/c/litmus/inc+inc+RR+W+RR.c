// inc+inc+RR+W+RR: two increments, a writer, and two readers that must agree on the order.
//
//     FADD(x,1)  ||  FADD(x,1)  ||  a=x; b=x  ||  x=42  ||  c=x; d=x
//     main, after the joins: assert(!(a==42&&b==2&&c==1&&d==42))
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int a, b, c, d;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	a = atomic_load_explicit(&x, memory_order_relaxed);
	b = atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 42, memory_order_relaxed);
	return NULL;
}

static void *t5(void *arg)
{
	(void)arg;
	c = atomic_load_explicit(&x, memory_order_relaxed);
	d = atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3, p4, p5;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p4, NULL, t4, NULL);
	pthread_create(&p5, NULL, t5, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	pthread_join(p3, NULL);
	pthread_join(p4, NULL);
	pthread_join(p5, NULL);
	assert(!(a == 42 && b == 2 && c == 1 && d == 42));
	return 0;
}
