// A stack with a weak compare-and-swap, whose nodes are freed and allocated again.
#include "more.h"
#include <stdlib.h>
struct node { struct node *next; int v; };
static _Atomic(struct node *) top;
static void push(int v)
{
	struct node *n = malloc(sizeof *n);
	n->v = v;
	n->next = atomic_load_explicit(&top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed))
		;
}
static void *thread(void *a)
{
	int *own = malloc(sizeof *own);
	*own = 1;
	free(own);
	push(1);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, thread, 0);
	more();
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	while (top) {
		struct node *n = top;
		top = n->next;
		free(n);
	}
}
