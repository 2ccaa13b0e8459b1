// want: verified 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct counter { long before; pthread_mutex_t m; int n; };
static void *f(void *arg)
{
	struct counter *c = arg;
	pthread_mutex_lock(&c->m);
	c->n++;
	pthread_mutex_unlock(&c->m);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	struct counter *c = malloc(sizeof *c);
	*c = (struct counter){.m = PTHREAD_MUTEX_INITIALIZER};
	pthread_create(&t, 0, f, c);
	pthread_create(&u, 0, f, c);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(c->n == 2);
	free(c);
}
