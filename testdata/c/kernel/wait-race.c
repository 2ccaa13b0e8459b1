// The waiter may look at state while the other thread writes it without WRITE_ONCE: a data race, though what ends the wait is ordered.
#include <lkmm.h>
#include <pthread.h>

static int state;

static void *waiter(void *arg)
{
	while (smp_load_acquire(&state) != 1)
		;
	return NULL;
}

static void *other(void *arg)
{
#ifdef MARKED
	WRITE_ONCE(state, 2);
#else
	state = 2;
#endif
	smp_store_release(&state, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
