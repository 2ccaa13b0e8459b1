// A field of a fresh heap object is read before anything was stored in it.
#include <stdio.h>
#include <stdlib.h>

struct job {
	int id, state;
};

int main(void)
{
	struct job *j = malloc(sizeof *j); // RELATED

	j->id = 1;
	if (j->state) { // ERROR
		printf("job %d runs\n", j->id);
	}
	free(j);
	return 0;
}
