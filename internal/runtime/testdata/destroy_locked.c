// want: call destroy of a locked mutex
#include <pthread.h>
static pthread_mutex_t m;
int main(void)
{
	pthread_mutex_init(&m, 0);
	pthread_mutex_lock(&m);
	pthread_mutex_destroy(&m);
}
