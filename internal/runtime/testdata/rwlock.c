// want: verified
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;
static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x++;
	y++;
	pthread_rwlock_unlock(&l);
	return 0;
}
static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	assert(x == y);
	pthread_rwlock_unlock(&l);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, writer, 0);
	pthread_create(&t[1], 0, reader, 0);
	pthread_create(&t[2], 0, reader, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(x == 1);
	pthread_rwlock_destroy(&l);
}
