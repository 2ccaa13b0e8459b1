// Three threads with the same function and argument; with -DINDEX, with arguments that it does not read. Each other macro makes one of them differ in a way
// that an assertion tells: none may be taken for another then.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int turn, done, late;
_Atomic(int *) first;

#if defined INDEX || defined NUMBER
#define ARG(i) ((void *)(long)(i))
#else
#define ARG(i) 0
#endif

void *count(void *number)
{
	int mine = atomic_fetch_add(&turn, 1);
#ifdef NUMBER
	assert(mine == 0 || number != ARG(2)); // the third may come second or third
#endif
#ifdef WAITS // for what main does after it has joined so many of them
	while (mine >= WAITS && !late)
		;
#endif
#ifdef ALLOC
	int *box = malloc(sizeof *box);
	*box = mine;
	int *none = 0;
	if (!atomic_compare_exchange_strong(&first, &none, box))
		free(box);
#endif
#ifdef SELF
	static atomic_ulong names[3];
	atomic_store(&names[mine], pthread_self());
	if (mine == 2)
		assert(names[0] < names[1] || names[1] < names[2]); // not if they come in the opposite order
#endif
	atomic_fetch_add(&done, 1);
#ifdef RESULT
	return (void *)(long)mine;
#else
	return 0;
#endif
}

int main()
{
	pthread_t a, b, c;
	void *r = 0, *s = 0;
	pthread_create(&a, 0, count, ARG(0));
	pthread_create(&b, 0, count, ARG(1));
#ifdef BETWEEN
	atomic_store(&late, 1); // makes no difference
#endif
	pthread_create(&c, 0, count, ARG(2));
	pthread_join(a, &r);
#if WAITS == 1
	late = 1;
#endif
#if defined EARLY || WAITS == 1
	assert(done == 3);
#endif
	pthread_join(b, 0);
#if WAITS == 2
	late = 1;
	assert(done == 3);
#endif
	pthread_join(c, &s);
	assert(done == 3);
#ifdef RESULT
	assert((long)r < (long)s);
#endif
#ifdef WRONG
	assert(turn != 3);
#endif
	if (first)
		free(first);
}
