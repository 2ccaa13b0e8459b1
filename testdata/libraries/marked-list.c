// A list whose nodes are marked as deleted in the lowest bit of their links, which are integers.
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
struct node {
	int key;
	_Atomic uintptr_t next;
};
_Atomic uintptr_t head;
static struct node *mk(int k, uintptr_t n) {
	struct node *x = malloc(sizeof *x);
	x->key = k;
	atomic_init(&x->next, n);
	return x;
}
void *del(void *a) {
	struct node *h = (struct node *)(atomic_load(&head) & ~1ul);
	uintptr_t n = atomic_load(&h->next);
	if (!(n & 1) && atomic_compare_exchange_strong(&h->next, &n, n | 1)) {
		uintptr_t e = (uintptr_t)h;
		atomic_compare_exchange_strong(&head, &e, n);
	}
	return 0;
}
int main(void) {
	struct node *b = mk(2, 0), *a = mk(1, (uintptr_t)b);
	atomic_store(&head, (uintptr_t)a);
	pthread_t t;
	pthread_create(&t, 0, del, 0);
	while (!(atomic_load(&a->next) & 1)) ;
	assert(atomic_load(&head) == (uintptr_t)b);
	pthread_join(t, 0);
}
