// R-bot-multi-matching: two equal writes, either of which may serve a read whose source was undone.
//
//     z=1  ||  r=z; m=1; m=1; s=x; if(r==0||s==1){y=1}  ||  q=m; a=y; x=a
#include <pthread.h>
#include <stdatomic.h>

static atomic_int m, x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&z, memory_order_relaxed);
	atomic_store_explicit(&m, 1, memory_order_relaxed);
	atomic_store_explicit(&m, 1, memory_order_relaxed);
	int s = atomic_load_explicit(&x, memory_order_relaxed);
	if (r == 0 || s == 1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&m, memory_order_relaxed);
	int a = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, a, memory_order_relaxed);
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
