// Variables that end with their thread, or with a function of it, while others use them (C17 6.2.4), and the right programs beside them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int own = 7;
static _Atomic(int *) shared;
static atomic_int done;

static pthread_t start(void *(*f)(void *)) { pthread_t t; pthread_create(&t, 0, f, 0); return t; }
static void await(atomic_int *flag) { while (!atomic_load(flag)) {} }

#if defined LOCAL_JOINED // a thread-local variable of a thread that was joined
static void *f(void *a) { return &own; }
int main(void) { void *p; pthread_join(start(f), &p); return *(int *)p - 7; }
#elif defined LOCAL_JOINED_WRITE
static void *f(void *a) { atomic_store(&shared, &own); return 0; }
int main(void) { pthread_join(start(f), 0); *shared = 1; return 0; }
#elif defined LOCAL_UNORDERED // the thread may have ended
static void *f(void *a) { atomic_store(&shared, &own); return 0; }
int main(void)
{
	pthread_t t = start(f);
	int *p = atomic_load(&shared);
	int v = p ? *p : 7;
	pthread_join(t, 0);
	return v - 7;
}
#elif defined LOCAL_OTHER // a third thread uses it
static void *f(void *a) { atomic_store(&shared, &own); return 0; }
static void *g(void *a) { int *p = atomic_load(&shared); return (void *)(long)(p && *p); }
int main(void) { pthread_t t = start(f), u = start(g); pthread_join(t, 0); pthread_join(u, 0); return 0; }
#elif defined LOCAL_OK // it waits until it was used
static void *f(void *a) { atomic_store(&shared, &own); await(&done); return 0; }
int main(void)
{
	pthread_t t = start(f);
	int *p;
	while (!(p = atomic_load(&shared))) {}
	*p += own;
	atomic_store(&done, 1);
	pthread_join(t, 0);
	return own - 7;
}
#elif defined LOCAL_MAIN_OK // main's lives as long as main
static void *f(void *a) { *shared += own; return 0; }
int main(void) { shared = &own; pthread_join(start(f), 0); return own - 14; }
#elif defined STACK_UNORDERED // a function may have returned
static int wait_for(int *p) { atomic_store(&shared, p); return *p; }
static void *f(void *a) { int l = 3; wait_for(&l); return 0; }
int main(void)
{
	pthread_t t = start(f);
	int *p = atomic_load(&shared);
	int v = p ? *p : 3;
	pthread_join(t, 0);
	return v - 3;
}
#elif defined SCOPE_UNORDERED // a block of main ends before the thread is joined
static void *f(void *a) { int *p = atomic_load(&shared); *p = 2; return 0; }
int main(void)
{
	pthread_t t;
	{
		int l = 1;
		atomic_store(&shared, &l);
		t = start(f);
	}
	pthread_join(t, 0);
	return 0;
}
#elif defined SCOPE_OK
static void *f(void *a) { int *p = atomic_load(&shared); *p = 2; atomic_store(&done, 1); return 0; }
int main(void)
{
	pthread_t t;
	{
		int l = 1;
		atomic_store(&shared, &l);
		t = start(f);
		await(&done);
		assert(l == 2);
	}
	pthread_join(t, 0);
	return 0;
}
#elif defined EXIT_STACK // pthread_exit in the middle of a function
static void leave(int *p) { atomic_store(&shared, p); pthread_exit(0); }
static void *f(void *a) { int l = 3; leave(&l); return 0; }
int main(void) { pthread_join(start(f), 0); return *shared - 3; }
#endif
