// The form of CDSChecker's programs in C++: a user_main that is no extern "C", threads that return nothing and are passed without a cast.
#include <atomic>
#include "librace.h"
#include "model-assert.h"
#include <threads.h>

static std::atomic<int> ready;
static uint32_t data;

static void writer(void *)
{
	store_32(&data, 5);
	ready.store(1, std::memory_order_release);
}

static void reader(void *)
{
	bool seen = ready.load(std::memory_order_acquire);
	if (seen)
		MODEL_ASSERT(load_32(&data) == 5);
}

#ifdef PLAIN
int user_main()
#else
int user_main(int argc, char **argv)
#endif
{
	thrd_t a, b;
	thrd_create(&a, writer, NULL);
	thrd_create(&b, reader, NULL);
	thrd_join(a);
	thrd_join(b);
	return 0;
}
