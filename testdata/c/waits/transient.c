// A lock that counts: who finds it taken takes its 1 back. Others may see that it is 2 for a moment, while one thread polls under it and another one tries.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int l;
static int ready, seen;

static void lock(void)
{
	while (atomic_fetch_add_explicit(&l, 1, memory_order_acquire))
		atomic_fetch_sub_explicit(&l, 1, memory_order_relaxed);
}

static void unlock(void) { atomic_fetch_sub_explicit(&l, 1, memory_order_release); }

static void *poll(void *arg)
{
	for (int r = 0; !r;) {
		lock();
		r = ready;
		unlock();
	}
	return arg;
}

static void *look(void *arg)
{
	seen = atomic_load_explicit(&l, memory_order_relaxed);
	return arg;
}

static void *set(void *arg)
{
	lock();
	ready = 1;
	unlock();
	return arg;
}

int main(void)
{
	pthread_t t, u, v;
	pthread_create(&t, NULL, poll, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_create(&v, NULL, set, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	assert(seen != 2);
	return 0;
}
