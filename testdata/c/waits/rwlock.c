// READERS threads read under a read-write lock, WRITERS write. With POLL, the readers look until a writer has written.
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *reader(void *arg)
{
	int a, b;
	do {
		pthread_rwlock_rdlock(&lock);
		a = x;
		b = y;
		pthread_rwlock_unlock(&lock);
		assert(a == b);
#ifdef POLL
	} while (a == 0);
#else
	} while (0);
#endif
	return 0;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	x++;
	y++;
	pthread_rwlock_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t t[READERS + WRITERS];
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_create(&t[i], 0, i < READERS ? reader : writer, 0);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(t[i], 0);
	assert(x == WRITERS);
}
