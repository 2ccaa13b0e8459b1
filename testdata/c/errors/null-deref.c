// A list search that finds nothing, and a caller that does not look.
#include <stddef.h>
#include <stdio.h>

struct node {
	int key, value;
	struct node *next;
};

static struct node last = {2, 20, NULL}, first = {1, 10, &last};

static struct node *find(int key)
{
	struct node *n = &first;

	while (n && n->key != key) {
		n = n->next;
	}
	return n;
}

int main(void)
{
	printf("%d\n", find(3)->value); // ERROR
	return 0;
}
