// The form of CDSChecker's programs: user_main, threads that return nothing, thrd_join with one argument, plain accesses by
// functions.
#include "libthreads.h"
#include "librace.h"
#include "model-assert.h"
#include "stdatomic.h"

atomic_int ready;
int data;

static void writer(void *arg)
{
	store_32(&data, 5);
	atomic_store_explicit(&ready, 1, ORDER);
}

static void reader(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_acquire))
		MODEL_ASSERT(load_32(&data) == 5);
}

int user_main(int argc, char **argv)
{
	thrd_t a, b;
	thrd_create(&a, (thrd_start_t)&writer, NULL);
	thrd_create(&b, (thrd_start_t)&reader, NULL);
	thrd_join(a);
	thrd_join(b);
	return 0;
}
