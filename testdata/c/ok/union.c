// A union read in other sizes than it was written in, in one thread and behind a release store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

union word {
	uint64_t whole;
	uint32_t half[2];
	uint8_t byte[8];
};

static union word shared;
static atomic_int ready;

static void *fill(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++) {
		shared.byte[i] = i + 1;
	}
	atomic_store_explicit(&ready, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	union word w = {.whole = 0x0807060504030201};
	pthread_t p;

	assert(w.byte[0] == 1 && w.byte[7] == 8); // little endian
	assert(w.half[0] == 0x04030201 && w.half[1] == 0x08070605);
	w.byte[3] = 0xff;
	assert(w.whole == 0x08070605ff030201);

	pthread_create(&p, NULL, fill, NULL);
	if (atomic_load_explicit(&ready, memory_order_acquire)) {
		assert(shared.whole == 0x0807060504030201);
	}
	pthread_join(p, NULL);
	assert(shared.half[1] == 0x08070605);
	return 0;
}
