// LB+porf-suffix: the branches write different locations; the reader takes either; b is read only where a was 0.
//
//     T1: r1=x; if(r1==0){a=1; r=z; y=r} else {b=1; r=z; y=r}
//     T2: p=a; q=0; if(!p){q=b}; if(p||q){z=1}
//     T3: r=y; x=r
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z, a, b;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r1 == 0) {
		atomic_store_explicit(&a, 1, memory_order_relaxed);
		int r = atomic_load_explicit(&z, memory_order_relaxed);
		atomic_store_explicit(&y, r, memory_order_relaxed);
	} else {
		atomic_store_explicit(&b, 1, memory_order_relaxed);
		int r = atomic_load_explicit(&z, memory_order_relaxed);
		atomic_store_explicit(&y, r, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int p = atomic_load_explicit(&a, memory_order_relaxed);
	int q = 0;
	if (!p) {
		q = atomic_load_explicit(&b, memory_order_relaxed);
	}
	if (p || q) {
		atomic_store_explicit(&z, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r, memory_order_relaxed);
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
