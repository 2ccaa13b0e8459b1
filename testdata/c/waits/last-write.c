// Two threads write x and y in opposite orders. A third one, until it is told, writes back what it reads of x. Under Java's models, which order the last write of a location after the
// others, both first writes can only be the last ones if that third thread writes x after them: an iteration that leaves memory as it was makes a difference. ONCE has one iteration, NONE none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, told, other;

static void *up(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 2, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_load_explicit(&other, memory_order_relaxed);
	return 0;
}

static void *down(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_load_explicit(&other, memory_order_relaxed);
	return 0;
}

static void *touch(void *arg)
{
#ifdef ONCE
	atomic_fetch_add_explicit(&x, 0, memory_order_relaxed);
#elif !defined(NONE)
	while (!atomic_load_explicit(&told, memory_order_relaxed))
		atomic_fetch_add_explicit(&x, 0, memory_order_relaxed);
#endif
	return 0;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, up, 0);
	pthread_create(&t[1], 0, down, 0);
	pthread_create(&t[2], 0, touch, 0);
	atomic_store_explicit(&told, 1, memory_order_relaxed);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(!(x == 1 && y == 1));
}
