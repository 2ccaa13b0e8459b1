// A table is filled, copied and cleared before a thread starts: a long execution, but only one.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60000 };

static int table[N], copy[N];

static void *reader(void *arg)
{
	const int *heap = arg;

	assert(copy[17] == 17 && heap[N - 1] == -(N - 1) && table[17] == 0);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int *heap = malloc(N * sizeof *heap);

	for (int i = 0; i < N; i++) {
		table[i] = i;
		heap[i] = -i;
	}
	memcpy(copy, table, sizeof copy);
	memset(table, 0, sizeof table);
	pthread_create(&t, NULL, reader, heap);
	pthread_join(t, NULL);
	free(heap);
	return 0;
}
