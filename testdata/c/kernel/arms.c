// Where does a control dependency end? A read, a branch on what was read, and a write: inside an arm or behind it.
//
// -DLB: load buffering, the other thread reads the write, and then writes what the first one reads. -DS: the other thread's two writes are in order, and
// the first of them is overwritten.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

static int x, y, z;
static int r, s;

#ifdef ACQUIRE
#define READ(v) smp_load_acquire(&v)
#else
#define READ(v) READ_ONCE(v)
#endif
#if defined RELEASE
#define WRITE(v) smp_store_release(&v, 1)
#elif defined XCHG
#define WRITE(v) xchg_relaxed(&v, 1)
#elif defined CMPXCHG
#define WRITE(v) cmpxchg_relaxed(&v, 0, 1)
#elif defined FETCH_ADD
#define WRITE(v) __atomic_fetch_add(&v, 1, __ATOMIC_RELAXED)
#elif defined RETRY // until a weak compare-and-swap succeeds
#define WRITE(v)                                                                                              \
	for (int e = READ_ONCE(v); !__atomic_compare_exchange_n(&v, &e, 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) \
		;
#else
#define WRITE(v) WRITE_ONCE(v, 1)
#endif

static void *branches(void *unused)
{
	r = READ(x);
#if defined ARM
	if (r)
		WRITE(y);
#elif defined ELSE
	if (!r) {
		z = 1;
	} else {
		WRITE(y);
	}
#elif defined JOIN
	if (r)
		z = 1;
	WRITE(y);
#elif defined RETURN
	if (!r)
		return 0;
	WRITE(y);
#elif defined LOOP
	for (int i = 0; i < r; i++)
		z++;
	WRITE(y);
#elif defined FENCED_ARM
	if (!r)
		smp_mb();
	WRITE(y);
#endif
	return 0;
}

static void *other(void *unused)
{
#ifdef LB
	s = READ_ONCE(y);
	smp_mb();
	WRITE_ONCE(x, 1);
#else
	WRITE_ONCE(y, 2);
	smp_mb();
	WRITE_ONCE(x, 1);
#endif
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, branches, 0);
	pthread_create(&b, 0, other, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
#ifdef LB
	assert(!(r == 1 && s == 1));
#else
	assert(!(r == 1 && y == 2));
#endif
}
