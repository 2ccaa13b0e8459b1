// want: verified 2
#include <assert.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready;
static void init(void) { mtx_init(&m, mtx_plain); }
static int f(void *arg)
{
	tss_set(key, arg);
	mtx_lock(&m);
	while (!ready)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	assert(tss_get(key) == arg);
	return -7;
}
int main(void)
{
	thrd_t t;
	int r;
	call_once(&once, init);
	cnd_init(&c);
	tss_create(&key, 0);
	assert(thrd_create(&t, f, &r) == thrd_success);
	mtx_lock(&m);
	ready = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
	assert(thrd_join(t, &r) == thrd_success && r == -7);
	assert(mtx_trylock(&m) == thrd_success);
	assert(mtx_trylock(&m) == thrd_busy);
	mtx_unlock(&m);
	mtx_destroy(&m);
	cnd_destroy(&c);
	assert(thrd_equal(thrd_current(), thrd_current()));
}
