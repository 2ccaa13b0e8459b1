// What the flag is decides how many objects there are before the others. So an object of one kind has the address
// that one of another kind has in the other execution, and its parts have other sizes.
//
// -DHEAP   the objects are on the heap
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int a, b;
};

static atomic_int flag;
static void *volatile escaped;

static void *set(void *arg)
{
	atomic_store(&flag, 1);
	return NULL;
}

// halves copies eight bytes that are also accessed as two numbers.
static void halves(struct pair *p, struct pair *q)
{
	escaped = p;
	escaped = q;
	p->a = 1;
	p->b = 2;
	memcpy(q, p, sizeof *q);
	assert(q->a == 1 && q->b == 2);
}

static void whole(atomic_long *n)
{
	escaped = n;
	atomic_init(n, 0);
	atomic_fetch_add(n, 3);
	assert(atomic_load(n) == 3);
}

static void byte(atomic_bool *b)
{
	escaped = b;
	atomic_init(b, false);
	assert(!atomic_exchange(b, true));
}

#ifdef HEAP
static void one_of_each(void)
{
	struct pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
	atomic_long *n = malloc(sizeof *n);
	atomic_bool *b = malloc(sizeof *b);
	halves(p, q);
	whole(n);
	byte(b);
	free(p);
	free(q);
	free(n);
	free(b);
}
#else
static void one_of_each(void)
{
	struct pair p, q;
	atomic_long n;
	atomic_bool b;
	halves(&p, &q);
	whole(&n);
	byte(&b);
}
#endif

static void some(int n)
{
	for (int i = 0; i < n; i++)
		escaped = malloc(1); // never freed: no block is allocated again
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, set, NULL);
	if (atomic_load(&flag)) {
		some(1);
		one_of_each();
	} else {
		one_of_each();
		some(2);
		one_of_each();
	}
	pthread_join(t, NULL);
	return 0;
}
