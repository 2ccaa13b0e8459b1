// A job on the stack of the thread that waits for it. The helper tells that it is done before its last use of the lock: then the job, and the lock
// with it, may be gone.
#include <pthread.h>
#include <stdatomic.h>

struct job {
	pthread_mutex_t lock;
	atomic_int done;
	int result;
};

static struct job *_Atomic posted;

static void *helper(void *arg)
{
	struct job *j;
	while (!(j = atomic_load(&posted)))
		;
	pthread_mutex_lock(&j->lock);
	j->result = 42;
	atomic_store(&j->done, 1);
	pthread_mutex_unlock(&j->lock);
	return 0;
}

static int run(void)
{
	struct job j = { .done = 0 };
	pthread_mutex_init(&j.lock, 0);
	atomic_store(&posted, &j);
	while (!atomic_load(&j.done))
		;
	return j.result;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, helper, 0);
	run();
	pthread_join(t, 0);
}
