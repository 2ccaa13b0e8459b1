// C11 condition variables: main waits until the thread has put a number there.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int number;

static int put(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	number = 7;
	cnd_signal(&changed);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t t;

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	thrd_create(&t, put, NULL);
	mtx_lock(&lock);
	while (number == 0) {
		cnd_wait(&changed, &lock);
	}
	assert(number == 7);
	mtx_unlock(&lock);
	thrd_join(t, NULL);
	cnd_destroy(&changed);
	mtx_destroy(&lock);
	return 0;
}
