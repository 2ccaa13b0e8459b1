// want: verified 1
#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static _Atomic int destroyed;
static void destroy(void *p)
{
	assert(p == (void *)8);
	destroyed++;
}
static void *f(void *arg)
{
	assert(!pthread_getspecific(key));
	pthread_setspecific(key, (void *)8);
	assert(pthread_getspecific(key) == (void *)8);
	if (arg)
		pthread_exit((void *)5);
	return (void *)6;
}
int main(void)
{
	pthread_t t;
	void *r;
	pthread_key_create(&key, destroy);
	pthread_setspecific(key, &key);
	pthread_create(&t, 0, f, 0);
	pthread_join(t, &r);
	assert(r == (void *)6);
	assert(destroyed == 1);
	pthread_create(&t, 0, f, &t);
	pthread_join(t, &r);
	assert(r == (void *)5);
	assert(destroyed == 2);
	assert(pthread_getspecific(key) == &key);
	pthread_key_delete(key);
}
