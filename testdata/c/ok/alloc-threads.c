// An object allocated by one thread, filled in, published, and freed by another.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
	int id, done;
};

static _Atomic(struct job *) queue;

static void *submit(void *arg)
{
	(void)arg;
	struct job *j = malloc(sizeof *j);

	j->id = 3;
	j->done = 0;
	atomic_store_explicit(&queue, j, memory_order_release);
	return NULL;
}

static void *serve(void *arg)
{
	(void)arg;
	struct job *j = atomic_exchange_explicit(&queue, NULL, memory_order_acquire);

	if (j) {
		assert(j->id == 3 && !j->done);
		j->done = 1;
		free(j);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, submit, NULL);
	pthread_create(&p2, NULL, serve, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	serve(NULL);
	assert(!queue);
	return 0;
}
