// What programs may rely on in the bits of an address: pointers to different objects differ in their low 32 bits too (a hash or a
// lock table that keeps 32 bits), and objects have the alignment that was asked for.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { PER_THREAD = 8, THREADS = 2, ALL = PER_THREAD * (THREADS + 1) + 4 };

static _Alignas(1 << 18) char wide[3];
static char page[65536], after[65536];
static __thread int own;
static void *seen[THREADS + 1][PER_THREAD];
static void *owned[THREADS + 1];

static void *fill(void *arg)
{
	int id = (int)(intptr_t)arg;
	for (int i = 0; i < PER_THREAD; i++)
		seen[id][i] = malloc(1 + i * 1000);
	owned[id] = &own;
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, fill, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	fill(0);
	int local;
	void *all[ALL] = {&local, wide, page, after};
	int n = 4;
	for (int i = 0; i <= THREADS; i++)
		for (int k = 0; k < PER_THREAD; k++)
			all[n++] = seen[i][k];
	for (int i = 0; i < ALL; i++) {
		assert((uint32_t)(uintptr_t)all[i] != 0);
		for (int k = 0; k < i; k++)
			assert((uint32_t)(uintptr_t)all[i] != (uint32_t)(uintptr_t)all[k]);
	}
	assert((uint32_t)(uintptr_t)owned[0] != (uint32_t)(uintptr_t)owned[1]);
	assert((uintptr_t)wide % (1 << 18) == 0);
	for (int i = 0; i < 3; i++) {
		void *p = aligned_alloc(1 << 21, 8);
		assert((uintptr_t)p % (1 << 21) == 0);
		free(p);
	}
	_Alignas(1 << 17) char big[4];
	assert((uintptr_t)big % (1 << 17) == 0);
	for (int i = 0; i <= THREADS; i++)
		for (int k = 0; k < PER_THREAD; k++)
			free(seen[i][k]);
}
