// A function that ends without a value is an error only if somebody uses it.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

void *writer(void *arg) { x = 1; }

int main()
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	pthread_join(t, 0);
	assert(x == VALUE); // declared by this call
}
