#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *t(void *arg) { data = 42; atomic_store_explicit(&flag, 1, memory_order_release); return 0; }
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire) == 1)
		assert(data == 42);
}
