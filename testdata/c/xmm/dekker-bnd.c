// dekker-bnd: Dekker's lock for two threads, each waiting loop bounded: a thread that has looked
// BND times in vain gives up.
//
//     T1: f1=1; F.sc
//         for i in 0..BND {
//             if(i==BND) return
//             r=f2; if(r<1) break
//             s=turn; if(s!=0) {
//                 f1=0; for j in 0..BND { if(j==BND) return; s=turn; if(s==0) break }
//                 f1=1; F.sc
//             }
//         }
//         F.acq; X=0.na; assert(X<=0); turn=1; F.rel; f1=0
//     T2: with f2 for f1, f1 for f2, 1 for 0, and X=1.na; assert(X>=1); turn=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BND
#define BND 3
#endif

static atomic_int f1, f2, turn;
static int X;

// enter takes the lock, or returns 0 if it gave up.
static int enter(atomic_int *mine, atomic_int *theirs, int me)
{
	atomic_store_explicit(mine, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	for (int i = 0;; i++) {
		if (i == BND) {
			return 0;
		}
		if (atomic_load_explicit(theirs, memory_order_relaxed) < 1) {
			break;
		}
		if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
			atomic_store_explicit(mine, 0, memory_order_relaxed);
			for (int j = 0;; j++) {
				if (j == BND) {
					return 0;
				}
				if (atomic_load_explicit(&turn, memory_order_relaxed) == me) {
					break;
				}
			}
			atomic_store_explicit(mine, 1, memory_order_relaxed);
			atomic_thread_fence(memory_order_seq_cst);
		}
	}
	atomic_thread_fence(memory_order_acquire);
	return 1;
}

static void leave(atomic_int *mine, int other)
{
	atomic_store_explicit(&turn, other, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(mine, 0, memory_order_relaxed);
}

static void *t1(void *arg)
{
	(void)arg;
	if (enter(&f1, &f2, 0)) {
		X = 0;
		assert(X <= 0);
		leave(&f1, 1);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	if (enter(&f2, &f1, 1)) {
		X = 1;
		assert(X >= 1);
		leave(&f2, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
