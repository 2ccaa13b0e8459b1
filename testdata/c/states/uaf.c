// A thread publishes an object and goes on writing to a part of it that nobody else looks at, while another frees it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
	int mine;
	int pad[15];
	int yours;
} object;

_Atomic(object *) shared;

void *publish(void *unused)
{
	object *o = malloc(sizeof *o);
	o->yours = 1;
	atomic_store(&shared, o);
#ifndef RIGHT
	o->mine = 2;
#endif
	return 0;
}

int main()
{
	pthread_t t;
	pthread_create(&t, 0, publish, 0);
	object *o;
	while (!(o = atomic_load(&shared)))
		;
	o->yours++;
	free(o);
	pthread_join(t, 0);
}
