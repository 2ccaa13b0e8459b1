/*
 * Load buffering past a cmpxchg_acquire that stands in a loop but that nothing tests: if it fails, it orders
 * nothing, and x may be written before y is read. lkmm.cat allows r0 == 1 && r1 == 1 for the litmus test of
 * the same shape. ravel does not explore it, so the verdict must not be `verified`.
 */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

static int x, y, flag = 1, r0, r1;

static void *reader(void *arg)
{
	r0 = READ_ONCE(x);
	WRITE_ONCE(y, r0);
	return arg;
}

static void *writer(void *arg)
{
	int r;

	do
		r = cmpxchg_acquire(&y, 0, 2);
	while (READ_ONCE(flag) != 1);
	WRITE_ONCE(x, 1);
	r1 = r;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, 0, reader, 0);
	pthread_create(&u, 0, writer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(!(r0 == 1 && r1 == 1));
	return 0;
}
