// Memory that nothing points to at the end is lost. What a global variable leads to is not, though it was not freed.
#include <stdlib.h>

struct node {
	struct node *next;
};

static struct node *list;

static struct node *make(struct node *next)
{
	struct node *n = malloc(sizeof *n);
	n->next = next;
	return n;
}

int main(void)
{
	list = make(make(NULL));
#ifdef LOST
	list = list->next;
#endif
#ifdef EXIT
	struct node *mine = make(NULL);
	exit(mine->next != NULL);
#endif
#ifdef MAIN
	struct node *mine = make(NULL);
	return mine->next != NULL;
#endif
	return 0;
}
