// A sequence lock: readers do without the lock and try again if a writer came in between. Every barrier is needed.
//
// -DREADERS=N: how many read.
// -DNO_WMB1, -DNO_WMB2: a writer without its first or second barrier (wrong).
// -DNO_RMB1, -DNO_RMB2: a reader without its first or second barrier (wrong).
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifndef READERS
#define READERS 1
#endif

static int seq;
static int a, b;

static void *writer(void *unused)
{
	WRITE_ONCE(seq, seq + 1);
#ifndef NO_WMB1
	smp_wmb();
#endif
	WRITE_ONCE(a, 1);
	WRITE_ONCE(b, 1);
#ifndef NO_WMB2
	smp_wmb();
#endif
	WRITE_ONCE(seq, seq + 1);
	return 0;
}

static void *reader(void *unused)
{
	int s, x, y;
	do {
		s = READ_ONCE(seq);
#ifndef NO_RMB1
		smp_rmb();
#endif
		x = READ_ONCE(a);
		y = READ_ONCE(b);
#ifndef NO_RMB2
		smp_rmb();
#endif
	} while (s & 1 || READ_ONCE(seq) != s);
	assert(x == y);
	assert(s == 0 || x == 1);
	return 0;
}

int main(void)
{
	pthread_t w, r[READERS];
	pthread_create(&w, 0, writer, 0);
	for (int i = 0; i < READERS; i++)
		pthread_create(&r[i], 0, reader, 0);
	pthread_join(w, 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(r[i], 0);
}
