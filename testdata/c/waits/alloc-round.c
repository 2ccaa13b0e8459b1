// A producer that makes a message before it looks whether there is room for it, and frees it if there is none. Such a round is a wait.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(char *) slot;

static void *producer(void *unused)
{
	for (int i = 0; i < 2; i++)
		for (;;) {
			char *s = strdup(i ? "two" : "one"), *empty = NULL;
			if (atomic_compare_exchange_strong(&slot, &empty, s))
				break;
#ifndef LEAK
			free(s);
#endif
			sched_yield();
		}
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, producer, NULL);
	for (int i = 0; i < 2; i++) {
		char *s;
		while (!(s = atomic_exchange(&slot, NULL)))
			sched_yield();
		assert(!strcmp(s, i ? "two" : "one"));
		free(s);
	}
	pthread_join(t, NULL);
	return 0;
}
