// want: verified 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x++;
	pthread_rwlock_unlock(&l);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	pthread_rwlock_rdlock(&l);
	int r = x;
	assert(r == 0 || r == 1);
	pthread_rwlock_unlock(&l);
	pthread_join(t, 0);
	assert(pthread_rwlock_tryrdlock(&l) == 0);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_trywrlock(&l) == 0);
	assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
	assert(pthread_rwlock_unlock(&l) == 0);
}
