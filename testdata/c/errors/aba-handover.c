// The ABA problem among three threads: one frees the block, another allocates it again after the first has told it to, and main still has its address.
// C11 7.22.3: the deallocation synchronises with the allocation that returns the block.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) slot;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *take(void *arg)
{
	int *p = atomic_exchange(&slot, NULL);
	pthread_mutex_lock(&m);
	free(p);
	done = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *put(void *arg)
{
	pthread_mutex_lock(&m);
	if (done) {
		int *p = malloc(sizeof *p);
		*p = 2;
		atomic_store(&slot, p);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int *p = malloc(sizeof *p);
	*p = 1;
	atomic_store(&slot, p);
	pthread_create(&t[0], NULL, take, NULL);
	pthread_create(&t[1], NULL, put, NULL);
	int *seen = p;
	if (atomic_compare_exchange_strong(&slot, &seen, NULL))
		assert(*p == 1);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
