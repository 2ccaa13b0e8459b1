struct node { int value; struct node *next; };
static void push(struct node *n)
{
	n->next = atomic_load_explicit(&top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_relaxed, memory_order_relaxed))
		;
}
