// Threads are created without end, as programs of SV-COMP do.
#include <pthread.h>

static void *nothing(void *arg) { return arg; }

int main(void)
{
	pthread_t t;

	for (;;)
		pthread_create(&t, NULL, nothing, NULL);
}
