// C11 thread-specific storage, with a destructor, and call_once.
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static tss_t slot;
static once_flag once = ONCE_FLAG_INIT;
static atomic_int destroyed;
static int values[2] = {3, 4};

static void note(void *value)
{
	destroyed += *(int *)value;
}

static void make(void)
{
	tss_create(&slot, note);
}

static int work(void *arg)
{
	call_once(&once, make);
	assert(tss_get(slot) == NULL);
	tss_set(slot, arg);
	assert(tss_get(slot) == arg);
	return 0;
}

int main(void)
{
	thrd_t t1, t2;

	thrd_create(&t1, work, &values[0]);
	thrd_create(&t2, work, &values[1]);
	thrd_join(t1, NULL);
	thrd_join(t2, NULL);
	assert(destroyed == 7);
	tss_delete(slot);
	return 0;
}
