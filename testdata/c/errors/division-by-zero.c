// A mean over a count that another thread may not have raised yet.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int count, total;

static void *add(void *arg)
{
	(void)arg;
	atomic_fetch_add(&total, 10);
	atomic_fetch_add(&count, 1);
	return NULL;
}

int main(void)
{
	pthread_t p;

	pthread_create(&p, NULL, add, NULL);
	int n = atomic_load(&count);
	int t = atomic_load(&total);
	printf("%d\n", t / n); // ERROR
	pthread_join(p, NULL);
	return 0;
}
