// Flags and data by volatile accesses, as in the kernel's READ_ONCE and WRITE_ONCE; fences order them. -DNOFENCE leaves those out.
#include <assert.h>
#include <pthread.h>

static int data;
static volatile int flag;
static volatile long long pair[2];

#ifdef NOFENCE
#define fence(order)
#else
#define fence(order) __atomic_thread_fence(order)
#endif

static void *writer(void *arg)
{
	data = 1;
	fence(__ATOMIC_RELEASE);
	flag = 1;
	pair[0] = 5;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	if (flag) {
		fence(__ATOMIC_ACQUIRE);
		assert(data == 1);
	}
	long long p = pair[0];
	assert(p == 0 || p == 5);
	pthread_join(t, 0);
	return 0;
}
