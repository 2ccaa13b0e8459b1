// A loop that counts its attempts is in another state after each failure: three spurious ones in a row are possible, and the program gives up.
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int lock;

static bool try_lock(void)
{
	for (int attempts = 0; attempts < 3; attempts++) {
		int expected = 0;
		if (atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed))
			return true;
	}
	return false;
}

int main(void)
{
	assert(try_lock());
	return 0;
}
