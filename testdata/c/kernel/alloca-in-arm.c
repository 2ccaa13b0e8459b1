// A variable on the stack that begins in the arms of two branches. The fences order data.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y;
int data;
static int total(int n)
{
	int part[2];

	for (int i = 0; i < 2; i++)
		part[i] = n;
	int *p = part;
	return p[0] + p[1];
}
static void *reader(void *arg)
{
	int sum = 0;

	if (atomic_load_explicit(&x, memory_order_relaxed))
		if (atomic_load_explicit(&y, memory_order_relaxed))
			sum = total(1);
	if (sum) {
		atomic_thread_fence(memory_order_seq_cst);
		assert(data == 1);
	}
	assert(sum == 0 || sum == 2);
	return 0;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, reader, 0);
	data = 1;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	pthread_join(t, 0);
}
