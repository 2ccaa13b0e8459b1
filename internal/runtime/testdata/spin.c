// want: verified 2
#include <assert.h>
#include <pthread.h>
static pthread_spinlock_t l;
static int x;
static void *f(void *arg)
{
	pthread_spin_lock(&l);
	x++;
	pthread_spin_unlock(&l);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
	assert(pthread_spin_trylock(&l) == 0);
	pthread_spin_unlock(&l);
	pthread_spin_destroy(&l);
}
