// A word that one thread accesses as a whole, and others in halves, if they come last: the layout becomes finer late.
#include "more.h"
#include <string.h>
static union { unsigned whole; unsigned short half[2]; } word;
static atomic_int turn, other;
static void *writer(void *a)
{
	int n = atomic_fetch_add(&turn, 1);
	atomic_fetch_add(&other, 1);
	if (n == N - 1) {
		word.half[1] = 7;
		word.whole++;
	}
	atomic_load(&other);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	word.whole = 1;
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, writer, 0);
	more();
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return word.half[1] != 7;
}
