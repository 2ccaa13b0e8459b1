// want: deadlock
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_wrlock(&l);
}
