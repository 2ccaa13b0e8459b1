// szymanski(N): the steps of Szymanski's lock for two threads, N rounds each, without its waiting:
// nothing is assumed and nothing asserted, so that every execution counts.
//
//     T1: N times { f1=1; F.sc; f1=3; F.sc; r=f2; if(r==1){f1=2; F.sc}; f1=4; F.sc; x=0; F.sc; f1=0 }
//     T2: N times { f2=1; F.sc; f2=3; F.sc; r=f1; if(r==1){f2=2; F.sc}; f2=4; F.sc; x=1; F.sc; f2=0 }
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif

static atomic_int f1, f2, x;

static void set(atomic_int *location, int value)
{
	atomic_store_explicit(location, value, memory_order_relaxed);
}

static void fence(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

static void rounds(atomic_int *mine, atomic_int *theirs, int name)
{
	for (int i = 0; i < N; i++) {
		set(mine, 1);
		fence();
		set(mine, 3);
		fence();
		if (atomic_load_explicit(theirs, memory_order_relaxed) == 1) {
			set(mine, 2);
			fence();
		}
		set(mine, 4);
		fence();
		set(&x, name);
		fence();
		set(mine, 0);
	}
}

static void *t1(void *arg)
{
	(void)arg;
	rounds(&f1, &f2, 0);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	rounds(&f2, &f1, 1);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
