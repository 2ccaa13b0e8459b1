// A read through a pointer after its object was freed.
#include <stdio.h>
#include <stdlib.h>

struct node {
	int key;
	struct node *next;
};

int main(void)
{
	struct node *n = malloc(sizeof *n);

	n->key = 7;
	n->next = NULL;
	free(n); // RELATED
	printf("%d\n", n->key); // ERROR
	return 0;
}
