// A thread writes to a variable of another thread, which may have ended by then.
//
// -DTLS: the variable is thread-local; -DWAITS: its thread waits for the other one, -DORDER=how
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef TLS
static _Thread_local int variable;
#endif
static _Atomic(int *) shared;
static atomic_int done;

static void *owner(void *arg)
{
#ifndef TLS
	int variable;
#endif
	variable = 1;
	atomic_store(&shared, &variable);
#ifdef WAITS
	while (!atomic_load_explicit(&done, ORDER))
		;
#endif
	return arg;
}

static void *guest(void *arg)
{
	int *p = atomic_load(&shared);
	if (p)
		*p = 2; // ERROR
	atomic_store_explicit(&done, 1, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, owner, NULL);
	pthread_create(&u, NULL, guest, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
