// RMWFix: two increments of one thread, if a flag is up, next to another increment.
//
//     r=y.sc; if(r){FADD(x,1).sc; FADD(x,1).sc}  ||  FADD(x,1).sc  ||  y=42.sc
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_seq_cst);
	if (r) {
		(void)atomic_fetch_add_explicit(&x, 1, memory_order_seq_cst);
		(void)atomic_fetch_add_explicit(&x, 1, memory_order_seq_cst);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_seq_cst);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 42, memory_order_seq_cst);
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
