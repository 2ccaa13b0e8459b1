// Two threads borrow from a counter and give back until a flag says that they are done. A thread goes on only where it finds the counter whole: in all
// other executions the program gives up. What is borrowed by others makes no difference to a round, so rounds are waits.
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int);

#ifndef WHOLE
#define WHOLE 42
#endif

atomic_int counter = WHOLE;
atomic_int done;

static void *borrow(void *arg) {
	for (;;) {
		atomic_fetch_sub_explicit(&counter, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
		__VERIFIER_assume(atomic_load_explicit(&counter, memory_order_relaxed) == WHOLE);
#ifndef FOREVER
		if (atomic_load_explicit(&done, memory_order_relaxed))
			return NULL;
#endif
	}
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, NULL, borrow, NULL);
	pthread_create(&b, NULL, borrow, NULL);
	atomic_store_explicit(&done, 1, memory_order_relaxed);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
