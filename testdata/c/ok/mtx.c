// C11 mutexes: plain and recursive, locked and tried.
#include <assert.h>
#include <threads.h>

static mtx_t lock, again;
static int counter;

static int increment(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	counter++;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t t;

	mtx_init(&lock, mtx_plain);
	mtx_init(&again, mtx_plain | mtx_recursive);
	thrd_create(&t, increment, NULL);
	if (mtx_trylock(&lock) == thrd_success) {
		counter++;
		mtx_unlock(&lock);
	} else {
		increment(NULL);
	}
	thrd_join(t, NULL);
	assert(counter == 2);

	assert(mtx_lock(&again) == thrd_success);
	assert(mtx_trylock(&again) == thrd_success);
	mtx_unlock(&again);
	mtx_unlock(&again);
	mtx_destroy(&again);
	mtx_destroy(&lock);
	return 0;
}
