// The Michael-Scott queue of the thesis, appendix C.2, with the five barriers that it needs. -DE5=none and so on leave one out, -DE8=acquire and
// -DE25=release add those that it does without; -DCONFIG=4 and so on choose what runs: E enqueues, D dequeues until there is something, | is in parallel.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define NODES 10
#define relaxed __ATOMIC_RELAXED
#define acquire __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define release __atomic_thread_fence(__ATOMIC_RELEASE)
#define none

#ifndef E5
#define E5 release
#endif
#ifndef E8 // an address depends on the load before it
#define E8 none
#endif
#ifndef E10
#define E10 acquire
#endif
#ifndef E25 // a read-modify-write whose success decides comes before it
#define E25 none
#endif
#ifndef D4
#define D4 acquire
#endif
#ifndef D6
#define D6 acquire
#endif
#ifndef D8
#define D8 acquire
#endif

typedef struct node node;
typedef struct {
	node *ptr;
	intptr_t count;
} __attribute__((aligned(16))) counted;

struct node {
	counted next;
	int data;
} __attribute__((aligned(16)));

node nodes[NODES];
char inUse[NODES];
counted Head, Tail;

static bool cas(counted *p, node *eptr, intptr_t ecount, node *dptr, intptr_t dcount)
{
	unsigned __int128 e = (unsigned __int128)(uintptr_t)ecount << 64 | (uintptr_t)eptr;
	unsigned __int128 d = (unsigned __int128)(uintptr_t)dcount << 64 | (uintptr_t)dptr;
	return __atomic_compare_exchange_n((unsigned __int128 *)p, &e, d, false, relaxed, relaxed);
}

node *newNode()
{
	for (int i = 1;; i++) {
		assert(i < NODES);
		char no = 0;
		if (__atomic_compare_exchange_n(&inUse[i], &no, 1, false, relaxed, relaxed))
			return &nodes[i];
	}
}

void freeNode(node *n) { inUse[n - nodes] = 0; }

__attribute__((constructor)) void init()
{
	inUse[1] = 1;
	Head.ptr = Tail.ptr = &nodes[1];
}

void enqueue(int v)
{
	node *n = newNode();
	n->data = v;
	n->next.ptr = 0;
	E5;
	intptr_t tcount;
	node *tptr;
	for (;;) {
		tcount = Tail.count;
		tptr = Tail.ptr;
		E8;
		node *nptr = tptr->next.ptr;
		intptr_t ncount = tptr->next.count;
		E10;
		if (tcount == Tail.count && tptr == Tail.ptr) {
			if (!nptr) {
				if (cas(&tptr->next, nptr, ncount, n, ncount + 1))
					break;
			} else
				cas(&Tail, tptr, tcount, nptr, tcount + 1);
		}
	}
	E25;
	cas(&Tail, tptr, tcount, n, tcount + 1);
}

bool dequeue(int *v)
{
	node *hptr;
	for (;;) {
		intptr_t hcount = Head.count;
		hptr = Head.ptr;
		D4;
		node *tptr = Tail.ptr;
		intptr_t tcount = Tail.count;
		D6;
		node *nptr = hptr->next.ptr;
		intptr_t ncount = hptr->next.count;
		D8;
		if (hcount == Head.count && hptr == Head.ptr) {
			if (hptr == tptr) {
				if (!nptr)
					return false;
				cas(&Tail, tptr, tcount, nptr, tcount + 1);
			} else {
				assert(nptr);
				*v = nptr->data;
				assert(*v != 0);
				if (cas(&Head, hptr, hcount, nptr, hcount + 1))
					break;
			}
		}
	}
	freeNode(hptr);
	return true;
}

void *enq(void *v)
{
	enqueue((intptr_t)v);
	return 0;
}

int got[3];
int ngot;

void *deq(void *unused)
{
	int v;
	while (!dequeue(&v))
		;
	return (void *)(intptr_t)v;
}

// Of the parallel thread in X5 and X6, which dequeues in between.
void *deqEnq(void *v)
{
	void *r = deq(0);
	enq(v);
	return r;
}

void *enqDeqDeqEnq(void *v)
{
	enq(v);
	intptr_t a = (intptr_t)deq(0), b = (intptr_t)deq(0);
	enq((void *)3);
	return (void *)(a | b << 8);
}

static void put(void *v) { got[ngot++] = (intptr_t)v; }

static void *par(void *(*f)(void *), long a, void *(*g)(void *), long b, void **r)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, (void *)a);
	pthread_create(&u, 0, g, (void *)b);
	void *x;
	pthread_join(t, &x);
	pthread_join(u, r);
	return x;
}

int main()
{
	void *r;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#if CONFIG == 4 // E|D;E;E;D;D
	par(enq, 1, deq, 0, &r);
	put(r);
	enq((void *)2);
	enq((void *)3);
	put(deq(0));
	put(deq(0));
#elif CONFIG == 5 // E;E;D|(D;E);D
	enq((void *)1);
	enq((void *)2);
	put(par(deq, 0, deqEnq, 3, &r));
	put(r);
	put(deq(0));
#elif CONFIG == 6 // E;D|(E;D;D;E), where the last E is left over
	enq((void *)1);
	put(par(deq, 0, enqDeqDeqEnq, 2, &r));
	put((void *)((intptr_t)r & 255));
	put((void *)((intptr_t)r >> 8));
#elif CONFIG == 7 // E|E|E;D;D;D
	pthread_t a, b, c;
	pthread_create(&a, 0, enq, (void *)1);
	pthread_create(&b, 0, enq, (void *)2);
	pthread_create(&c, 0, enq, (void *)3);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	put(deq(0));
	put(deq(0));
	put(deq(0));
#elif CONFIG == 8 // E|E|D|D, which the thesis did not finish
	pthread_t a, b, c, d;
	pthread_create(&a, 0, enq, (void *)1);
	pthread_create(&b, 0, enq, (void *)2);
	pthread_create(&c, 0, deq, 0);
	pthread_create(&d, 0, deq, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, &r);
	put(r);
	pthread_join(d, &r);
	put(r);
	put((void *)3);
#elif CONFIG == 10 // E|D|(E;C);D: C claims a node for another structure
	pthread_t a, b;
	pthread_create(&a, 0, enq, (void *)1);
	pthread_create(&b, 0, deq, 0);
	enq((void *)2);
	node *n = newNode();
	n->next.count++; // as a queue would, and not after ptr
	release;
	n->next.ptr = 0;
	pthread_join(a, 0);
	pthread_join(b, &r);
	put(r);
	put(deq(0));
	put((void *)3);
#endif
	int seen = 0;
	for (int i = 0; i < 3; i++)
		seen |= 1 << got[i];
	assert(seen == 14);
}
