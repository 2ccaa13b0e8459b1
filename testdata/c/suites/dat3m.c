// The names of Dartagnan's programs.
#include <assert.h>
#include <dat3m.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int data;

void *writer(void *arg)
{
	data = 1;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	await_while(!atomic_load_explicit(&ready, memory_order_acquire));
	__VERIFIER_loop_bound(3);
	for (int i = 0; i < 2; i++)
		assert(data == 1);
	assert(__VERIFIER_tid() == 0);
	return 0;
}
