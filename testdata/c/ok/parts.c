// Objects that are changed as a whole, by a compare-and-swap, and whose parts are plain accesses while one thread has them.
//
// -DWIDE   16 bytes, with parts of 8
// -DRACE   a part is written while another thread may change the whole
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef WIDE
typedef unsigned __int128 whole_t;
typedef uint64_t part_t;
#else
typedef uint64_t whole_t;
typedef uint32_t part_t;
#endif

union object {
	whole_t whole;
	struct {
		part_t count, tag;
	} parts;
};

static union object *shared;

static void *change(void *arg)
{
	union object old, new;
	old.whole = __atomic_load_n(&shared->whole, __ATOMIC_RELAXED);
	do {
		new.parts.count = old.parts.count + 1;
		new.parts.tag = old.parts.tag + 10;
	} while (!__atomic_compare_exchange_n(&shared->whole, &old.whole, new.whole, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	shared = malloc(sizeof *shared);
	shared->parts.tag = 7;
	shared->parts.count = 1;
	shared->parts.count++;
	pthread_create(&t1, NULL, change, NULL);
	pthread_create(&t2, NULL, change, NULL);
#ifdef RACE
	shared->parts.tag = 7;
#endif
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(shared->parts.count == 4 && shared->parts.tag == 27);
	shared->parts.tag = 0;
	change(NULL);
	assert(shared->parts.count == 5 && shared->parts.tag == 10);
	free(shared);
	return 0;
}
