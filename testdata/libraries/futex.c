// A lock by futexes of Linux (U. Drepper, Futexes are tricky, mutex 2).
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <stdatomic.h>
#include <stdint.h>
#include <pthread.h>
#include <assert.h>
typedef struct {
	_Atomic uint32_t v;
}
mtx;
static long futex(_Atomic uint32_t *p, int op, uint32_t val) {
	return syscall(SYS_futex, p, op | FUTEX_PRIVATE_FLAG, val, NULL, NULL, 0);
}
static void lock(mtx *m) {
	uint32_t c = 0;
	if (atomic_compare_exchange_strong(&m->v, &c, 1)) return;
	do {
		if (c == 2 || atomic_compare_exchange_strong(&m->v, &(uint32_t){1}, 2)) futex(&m->v, FUTEX_WAIT, 2);
		c = 0;
} while (!atomic_compare_exchange_strong(&m->v, &c, 2));
}
static void unlock(mtx *m) {
	if (atomic_fetch_sub(&m->v, 1) != 1) {
		atomic_store(&m->v, 0);
		futex(&m->v, FUTEX_WAKE, 1);
	}
}
mtx m;
int n;
void *w(void *a) {
	lock(&m);
	n++;
	unlock(&m);
	return a;
}
int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(n == 2);
}
