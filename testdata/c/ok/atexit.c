// Handlers run at exit, the last one that was registered first, also those that a handler registers; then come
// functions marked as destructors. exit() runs them, main's own return does; _exit() does not.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int step;

static void last(void)
{
	assert(step++ == 3);
}

static void late(void)
{
	assert(step++ == 2);
}

static void second(void)
{
	assert(step++ == 1);
	atexit(late);
}

static void first(void)
{
	assert(step++ == 0);
}

__attribute__((destructor)) static void end(void)
{
	assert(step == 4);
#ifdef WRONG
	assert(0);
#endif
}

static void *thread(void *arg)
{
	atexit(second);
	return NULL;
}

static void leave(void)
{
#if defined UNDERSCORE
	_exit(0);
#elif defined CALL
	exit(0);
#endif
}

int main(void)
{
	pthread_t t;
	atexit(last);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	atexit(first);
	leave();
	return 0;
}
