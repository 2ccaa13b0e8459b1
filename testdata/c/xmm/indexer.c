// indexer(N): N threads put four words each into a hash table with open addressing. The first
// collision comes with the twelfth thread; from there every thread has eight times the executions.
//
//     Tt: for i in 0..3 { w=11*i+t; h=(7*w)%128; while (!CAS(table[h],0,w)) h=(h+1)%128 }      t = 0..N-1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 14
#endif

enum { SIZE = 128, WORDS = 4 };

static atomic_int table[SIZE];

static int try_put(int h, int w)
{
	int expected = 0;

	return atomic_compare_exchange_strong_explicit(&table[h], &expected, w, memory_order_relaxed, memory_order_relaxed);
}

static void *put_words(void *arg)
{
	int t = (intptr_t)arg;

	for (int i = 0; i < WORDS; i++) {
		int w = 11 * i + t;
		int h = 7 * w % SIZE;

		while (!try_put(h, w)) {
			h = (h + 1) % SIZE;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t p[N];

	for (intptr_t t = 0; t < N; t++) {
		pthread_create(&p[t], NULL, put_words, (void *)t);
	}
	return 0;
}
