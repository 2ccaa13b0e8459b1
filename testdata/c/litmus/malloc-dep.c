// malloc-dep: an increment between allocating objects and linking them through plain pointers.
//
//     p=malloc; q=malloc; FADD(n,1); p->data=q  ||  the same
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	void *data;
};

static atomic_int n;

// The node comes back through a pointer that may be null, the data as the result.
static void *make(struct node **node)
{
	long *data = malloc(sizeof *data);

	if (node) {
		*node = malloc(sizeof **node);
		assert(*node);
	}
	(void)atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
	return data;
}

static void *link_up(void *arg)
{
	(void)arg;
	struct node *node = NULL;
	void *data = make(&node);

	node->data = data;
	free(node->data);
	free(node);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, link_up, NULL);
	pthread_create(&p2, NULL, link_up, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
