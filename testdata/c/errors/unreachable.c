// A default case that the programmer promised never to reach, and another thread's value that reaches it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void *advance(void *arg)
{
	(void)arg;
	atomic_store(&state, 2);
	return NULL;
}

int main(void)
{
	pthread_t p;
	int r = 0;

	pthread_create(&p, NULL, advance, NULL);
	switch (atomic_load(&state)) {
	case 0:
		r = 1;
		break;
	case 1:
		r = 2;
		break;
	default:
		__builtin_unreachable(); // ERROR
	}
	pthread_join(p, NULL);
	return r == 0;
}
