// A pair of plain numbers behind a readers-writer lock: readers never see half an update.
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left = 5, right = 5;

static void *move(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	left--;
	right++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	assert(left + right == 10);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p1, NULL, look, NULL);
	pthread_create(&p2, NULL, move, NULL);
	pthread_create(&p3, NULL, look, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	pthread_join(p3, NULL);
	assert(left == 4 && right == 6);
	pthread_rwlock_destroy(&lock);
	return 0;
}
