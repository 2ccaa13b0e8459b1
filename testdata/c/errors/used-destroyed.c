// A thread uses what main may have destroyed. With -DJOIN main waits for it first.
#include <pthread.h>
#include <semaphore.h>

#if defined COND
static pthread_cond_t it = PTHREAD_COND_INITIALIZER;
#define use pthread_cond_signal(&it)
#define destroy pthread_cond_destroy(&it)
#elif defined RWLOCK
static pthread_rwlock_t it = PTHREAD_RWLOCK_INITIALIZER;
#define use (pthread_rwlock_rdlock(&it), pthread_rwlock_unlock(&it))
#define destroy pthread_rwlock_destroy(&it)
#else
static sem_t it;
#define use sem_post(&it)
#define destroy sem_destroy(&it)
#endif

static void *thread(void *arg)
{
	use;
	return 0;
}

int main(void)
{
#if !defined COND && !defined RWLOCK
	sem_init(&it, 0, 0);
#endif
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
#ifdef JOIN
	pthread_join(t, 0);
#endif
	destroy;
#ifndef JOIN
	pthread_join(t, 0);
#endif
}
