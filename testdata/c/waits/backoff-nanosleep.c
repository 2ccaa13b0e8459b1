// nanosleep with a struct timespec that grows, without a cap.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_flag busy = ATOMIC_FLAG_INIT;
static int n;
static void lock(void) {
	struct timespec ts = {0, 1000};
	int tries = 0;
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
		if (++tries < 16)
			continue;
		nanosleep(&ts, NULL);
		if (ts.tv_nsec < 1000000)
			ts.tv_nsec *= 2;
	}
}
static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }
static void *w(void *arg) { lock(); n++; unlock(); return NULL; }
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(n == 3);
}
