#include "stack.h"
static int pop(void)
{
	struct node *n = atomic_load_explicit(&top, memory_order_acquire);
	while (n && !atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acq_rel, memory_order_acquire))
		;
	return n ? n->value : -1;
}
