// Peterson's lock. -DORDER=1 gives way before it asks, which is wrong even under sc; -DFENCE makes the right
// one right under tso.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define rlx memory_order_relaxed
#define load(x) atomic_load_explicit(&x, rlx)
#define store(x, v) atomic_store_explicit(&x, v, rlx)

atomic_int flag[2], turn, inside;

void *enter(void *arg)
{
	long me = (long)arg, other = 1 - me;
#if ORDER
	store(turn, other);
	store(flag[me], 1);
#else
	store(flag[me], 1);
	store(turn, other);
#endif
#ifdef FENCE
	atomic_thread_fence(memory_order_seq_cst);
#endif
	while (load(flag[other]) && load(turn) == other)
		;
	assert(load(inside) == 0);
	store(inside, 1);
	store(inside, 0);
#ifdef FENCE
	atomic_thread_fence(memory_order_seq_cst);
#endif
	store(flag[me], 0);
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, enter, (void *)0);
	pthread_create(&b, 0, enter, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
