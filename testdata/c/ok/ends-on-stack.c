// What a thread waits on may end as soon as it has waited, though the other thread is still on its way out.
#include <pthread.h>
#include <semaphore.h>

static pthread_t t;

#ifdef SEM
static void *post(void *s)
{
	sem_post(s);
	return 0;
}

static void once(void)
{
	sem_t s;
	sem_init(&s, 0, 0);
	pthread_create(&t, 0, post, &s);
	sem_wait(&s);
	sem_destroy(&s);
}
#else
struct job {
	pthread_mutex_t m;
	pthread_cond_t c;
	int done;
};

static void *finish(void *p)
{
	struct job *j = p;
	pthread_mutex_lock(&j->m);
	j->done = 1;
	pthread_cond_signal(&j->c);
	pthread_mutex_unlock(&j->m);
	return 0;
}

static void once(void)
{
	struct job j = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	pthread_create(&t, 0, finish, &j);
	pthread_mutex_lock(&j.m);
	while (!j.done)
		pthread_cond_wait(&j.c, &j.m);
	pthread_mutex_unlock(&j.m);
	pthread_cond_destroy(&j.c);
	pthread_mutex_destroy(&j.m);
}
#endif

int main(void)
{
	once();
	pthread_join(t, 0);
}
