// Loads that may be buffered, at the end of long threads: the search begins again with cycles in po ∪ rf.
#include "more.h"
atomic_int a, b, c;
#define RLX memory_order_relaxed
static void *left(void *p)
{
	atomic_fetch_add_explicit(&c, 1, RLX);
	atomic_load_explicit(&a, RLX);
	atomic_store_explicit(&b, 1, RLX);
	return 0;
}
static void *right(void *p)
{
	atomic_fetch_add_explicit(&c, 1, RLX);
	atomic_load_explicit(&b, RLX);
	atomic_store_explicit(&a, 1, RLX);
	return 0;
}
static void *count(void *p)
{
	atomic_fetch_add_explicit(&c, 1, RLX);
	atomic_load_explicit(&c, RLX);
	return 0;
}
int main(void)
{
	pthread_t t[2 + N];
	pthread_create(&t[0], 0, left, 0);
	pthread_create(&t[1], 0, right, 0);
	for (int i = 0; i < N; i++)
		pthread_create(&t[2 + i], 0, count, 0);
	more();
}
