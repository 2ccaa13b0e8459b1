// Loops that are written as functions that call themselves: a stack whose push tries again, and a thread that waits for a flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
struct node {
	struct node *next;
} nodes[3];
static _Atomic(struct node *) top;
static atomic_int flag;
static bool push(struct node *n)
{
	struct node *old = atomic_load(&top);
	n->next = old;
	if (atomic_compare_exchange_strong(&top, &old, n))
		return true;
	return push(n);
}
static void await(int n)
{
	if (atomic_load(&flag) != n)
		await(n);
}
static void *w(void *n)
{
	push(n);
#ifdef NEVER
	await(1);
#endif
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, w, &nodes[i]);
	atomic_store(&flag, 2);
	await(2);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	int n = 0;
	for (struct node *i = top; i; i = i->next)
		n++;
	assert(n == 3);
}
