// want: verified 1
#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	int *p = calloc(4, sizeof *p);
	assert(p[0] == 0 && p[3] == 0);
	p[0] = 1;
	p[3] = 4;
	p = realloc(p, 8 * sizeof *p);
	assert(p[0] == 1 && p[1] == 0 && p[3] == 4);
	p[7] = 8;
	p = realloc(p, 2 * sizeof *p);
	assert(p[0] == 1);
	free(p);
	void *q;
	assert(posix_memalign(&q, 64, 10) == 0 && (unsigned long)q % 64 == 0);
	free(q);
	q = aligned_alloc(4096, 10);
	assert((unsigned long)q % 4096 == 0);
	free(q);
	free(NULL);
	free(malloc(0));
	char *s = strdup("hello");
	assert(strcmp(s, "hello") == 0);
	free(s);
}
