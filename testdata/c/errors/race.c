// A message passed without synchronisation: the relaxed flag does not order the plain accesses.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int ready;

static void *send(void *arg)
{
	(void)arg;
	data = 1; // RELATED
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return NULL;
}

static void *receive(void *arg)
{
	(void)arg;
	if (atomic_load_explicit(&ready, memory_order_relaxed)) {
		printf("%d\n", data); // ERROR
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, send, NULL);
	pthread_create(&p2, NULL, receive, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
