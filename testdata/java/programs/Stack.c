#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct node {
	int value;
	struct node *next;
} node;
static _Atomic(node *) top;
static void push(int v)
{
	node *n = calloc(1, sizeof *n), *old;
	n->value = v;
	do {
		old = top;
		n->next = old;
	} while (!atomic_compare_exchange_strong(&top, &(node *){old}, n));
}
static int pop(void)
{
	while (1) {
		node *old = top;
		if (!old)
			return 0;
		if (atomic_compare_exchange_strong(&top, &(node *){old}, old->next))
			return old->value;
	}
}
static int got[2];
static void *t(void *arg)
{
	push(1);
	got[0] = pop();
	return 0;
}
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	push(2);
	got[1] = pop();
	pthread_join(i, 0);
	assert(got[0] + got[1] == 3);
}
