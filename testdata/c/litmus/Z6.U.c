// Z6.U: an sc increment continues a release sequence between two sc stores.
//
//     x=1.sc; y=1.rel  ||  FADD(y,1).sc; a=y  ||  y=3.sc; b=x.sc
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&y, 1, memory_order_seq_cst);
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 3, memory_order_seq_cst);
	(void)atomic_load_explicit(&x, memory_order_seq_cst);
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
