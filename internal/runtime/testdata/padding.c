// want: verified 1
// Copies of objects with padding, and with members that were never written: that is no read of them.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct s {
	char c;
	int i;
	long l;
	short never;
};

static struct s *shared;
static struct s copy;

static void *take(void *arg)
{
	copy = *shared;
	return NULL;
}

int main(void)
{
	struct s *a = malloc(sizeof *a), *b = malloc(sizeof *b);
	a->c = 1;
	a->i = 2;
	a->l = 3;
	*b = *a;
	memcpy(b, a, sizeof *a);
	shared = b;
	pthread_t t;
	pthread_create(&t, NULL, take, NULL);
	pthread_join(t, NULL);
	assert(copy.c == 1 && copy.i == 2 && copy.l == 3);
	a = realloc(a, 64);
	assert(a->c == 1 && a->i == 2 && a->l == 3);
	free(a);
	free(b);
	return 0;
}
