// A lock that is made after other threads have begun: main sends it to the thread, then both poll under it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct shared { pthread_mutex_t m; int arrived; };
static _Atomic(struct shared *) box;
static void meet(struct shared *s) {
	pthread_mutex_lock(&s->m);
	s->arrived++;
	pthread_mutex_unlock(&s->m);
	for (int done = 0; !done;) {
		pthread_mutex_lock(&s->m);
		done = s->arrived == 2;
		pthread_mutex_unlock(&s->m);
	}
}
static void *other(void *arg) {
	struct shared *s;
	while (!(s = atomic_load_explicit(&box, memory_order_acquire)))
		;
	meet(s);
	return NULL;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	struct shared *s = malloc(sizeof *s);
	pthread_mutex_init(&s->m, NULL);
	s->arrived = 0;
	atomic_store_explicit(&box, s, memory_order_release);
	meet(s);
	pthread_join(t, NULL);
	assert(s->arrived == 2);
	free(s);
}
