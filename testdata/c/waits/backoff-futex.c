// Spin up to a limit, then sleep in the kernel: three states, as in Drepper's "Futexes are tricky".
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#define SPINS 100
static atomic_int f;
static int n;
static void lock(void) {
	for (int i = 0; i < SPINS; i++) {
		int zero = 0;
		if (atomic_compare_exchange_strong(&f, &zero, 1))
			return;
		__builtin_ia32_pause();
	}
	int c = atomic_exchange(&f, 2);
	while (c != 0) {
		syscall(SYS_futex, &f, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
		c = atomic_exchange(&f, 2);
	}
}
static void unlock(void) {
	if (atomic_exchange(&f, 0) == 2)
		syscall(SYS_futex, &f, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
static void *w(void *arg) { lock(); n++; unlock(); return NULL; }
int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(n == 2);
}
