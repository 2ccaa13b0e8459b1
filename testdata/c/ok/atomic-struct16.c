// An atomic struct of sixteen bytes, as a pointer with a version: read whole, and swapped if unchanged.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct tagged {
	intptr_t value;
	uint64_t version;
};

static _Atomic struct tagged shared;

static void *update(void *arg)
{
	struct tagged old = {0, 0};
	struct tagged new = {(intptr_t)arg, 1};

	if (!atomic_compare_exchange_strong(&shared, &old, new)) {
		assert(old.version == 1 && old.value != 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, update, (void *)(intptr_t)7);
	pthread_create(&p2, NULL, update, (void *)(intptr_t)8);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	struct tagged last = atomic_load(&shared);
	assert(last.version == 1 && (last.value == 7 || last.value == 8));
	return 0;
}
