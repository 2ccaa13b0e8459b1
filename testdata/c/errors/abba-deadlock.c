// Two threads take two mutexes in opposite orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *a_then_b(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // ERROR
	moved++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *b_then_a(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); // RELATED
	moved--;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, a_then_b, NULL);
	pthread_create(&p2, NULL, b_then_a, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
