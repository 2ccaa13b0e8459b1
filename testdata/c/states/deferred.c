// What rmo defers: an instruction that depends on a load waits in the buffer, and its thread goes on.
//
// CALL: the value is passed to a function that is not inlined and comes back from it; only then is y written. So z == 1 may be seen
// before x is read: wrong under rmo, right under lmo, which waits for arguments.
// ADDRESS: it is an index. RMW: it is added. Both as CALL.
// POINTER: publication by a pointer; the address dependency orders the reads, so it is right.
// NULL_POINTER: the pointer is null if it is read too early: an error of memory from sc on, where it is read.
// ALIAS: the index may be that of the element read next: the guess that it is not is wrong, so nothing is.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)

atomic_int x, y, z, a[4];
_Atomic(atomic_int *) p;

int down(int n, int v) { return n == 0 ? v : down(n - 1, v); }

#if defined POINTER || defined NULL_POINTER
void *one(void *arg)
{
	store(x, 1);
	atomic_thread_fence(memory_order_release);
	store(p, &x);
	return NULL;
}

void *two(void *arg)
{
	atomic_int *q = load(p);
#ifdef POINTER
	if (q == NULL)
		return NULL;
#endif
	int r = load(*q);
	store(z, 1);
	assert(r == 1);
	return NULL;
}
#elif defined ALIAS
void *one(void *arg)
{
	int r = load(x);
	store(a[r], 1);
	int s = load(a[0]);
	assert(r == 1 || s != 0);
	return NULL;
}

void *two(void *arg)
{
	store(x, 1);
	return NULL;
}
#else
void *one(void *arg)
{
	int r = load(x);
#if defined CALL
	store(y, down(3, r));
#elif defined ADDRESS
	store(a[r], 1);
#elif defined RMW
	atomic_fetch_add_explicit(&y, r, memory_order_relaxed);
#endif
	store(z, 1);
	assert(r == 0);
	return NULL;
}

void *two(void *arg)
{
	if (load(z) == 1)
		store(x, 1);
	return NULL;
}
#endif

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
