// Dekker's lock for two threads, with waits (bench/dekker-bnd.c gives up).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int flag[2], turn;
static int inside;
static void *run(void *arg) {
	int me = arg != NULL;
	atomic_store(&flag[me], 1);
	while (atomic_load(&flag[1 - me])) {
		if (atomic_load(&turn) != me) {
			atomic_store(&flag[me], 0);
			while (atomic_load(&turn) != me);
			atomic_store(&flag[me], 1);
		}
	}
	inside = me;
	assert(inside == me);
	atomic_store(&turn, 1 - me);
	atomic_store(&flag[me], 0);
	return NULL;
}
int main(void) {
	pthread_t a, b;
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, &inside);
	pthread_join(a, NULL); pthread_join(b, NULL);
}
