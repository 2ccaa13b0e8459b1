// reorder2: two threads set two locations, two others look whether the locations fit together.
//
//     T1, T2: a=1; b=-1
//     T3, T4: p=a; if(p==0){q=b}; if(p!=0||q!=0){p=a; if(p==1){q=b}}
//
// A checker reads b only where the value of a leaves the question open, and asks in two steps:
// both still 0, or both set?
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static int get(atomic_int *location)
{
	return atomic_load_explicit(location, memory_order_relaxed);
}

static void *set(void *arg)
{
	(void)arg;
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, -1, memory_order_relaxed);
	return NULL;
}

static void *check(void *arg)
{
	(void)arg;
	int fits = (get(&a) == 0 && get(&b) == 0) || (get(&a) == 1 && get(&b) == -1);
	(void)fits;
	return NULL;
}

int main(void)
{
	pthread_t s[2], c[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&s[i], NULL, set, NULL);
	}
	for (int i = 0; i < 2; i++) {
		pthread_create(&c[i], NULL, check, NULL);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(s[i], NULL);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(c[i], NULL);
	}
	return 0;
}
