// LB+equals: two stores behind the equality of two reads.
//
//     r=a; x=r  ||  r1=x; r2=y; if(r1==r2){a=1; b=1}  ||  r=b; y=r
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&a, memory_order_relaxed);
	atomic_store_explicit(&x, r, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r1 == r2) {
		atomic_store_explicit(&a, 1, memory_order_relaxed);
		atomic_store_explicit(&b, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&b, memory_order_relaxed);
	atomic_store_explicit(&y, r, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	return 0;
}
