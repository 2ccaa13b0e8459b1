// Two readers hold the lock at once: the orders of their 2 + 2 operations.
// want: verified 6
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t l;
static int x;
static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	int r = x;
	pthread_rwlock_unlock(&l);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_rwlock_init(&l, 0);
	pthread_create(&t, 0, reader, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
