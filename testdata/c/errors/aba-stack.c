// The ABA problem. main has read the top of a stack and what is below it. A thread takes both nodes, frees them and pushes a new one. malloc may return
// the block of the first node, so main's compare-and-swap takes the new node for the old one and makes a freed node the top.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static _Atomic(struct node *) top;

static struct node *make(int value, struct node *next)
{
	struct node *n = malloc(sizeof *n);
	n->value = value;
	n->next = next;
	return n;
}

static void *other(void *arg)
{
	struct node *a = atomic_exchange(&top, NULL);
	struct node *b = a->next;
	free(a);
	free(b);
	atomic_store(&top, make(3, NULL));
	return arg;
}

int main(void)
{
	pthread_t t;
	atomic_store(&top, make(2, make(1, NULL)));
	struct node *seen = atomic_load(&top), *next = seen->next;
	pthread_create(&t, NULL, other, NULL);
	if (atomic_compare_exchange_strong(&top, &seen, next)) {
		pthread_join(t, NULL);
		struct node *n = atomic_load(&top);
		if (n == next)
			return n->value;
		return 0;
	}
	pthread_join(t, NULL);
	return 0;
}
