// C11 threads: the result of a thread comes back through the join.
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int sum;

static int add(void *arg)
{
	int n = *(int *)arg;

	sum += n;
	return 10 * n;
}

int main(void)
{
	static int one = 1, two = 2;
	thrd_t t1, t2;
	int r1, r2;

	assert(thrd_create(&t1, add, &one) == thrd_success);
	assert(thrd_create(&t2, add, &two) == thrd_success);
	assert(!thrd_equal(t1, t2));
	assert(thrd_join(t1, &r1) == thrd_success);
	assert(thrd_join(t2, &r2) == thrd_success);
	assert(r1 == 10 && r2 == 20 && sum == 3);
	return 0;
}
