// Floating point: rounding, conversions, comparison with NaN, and a flag that orders plain doubles.
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static double mean;
static atomic_int ready;
double tenth = 0.1, zero = 0.0;
float third = 1.0f / 3;

static void *compute(void *arg)
{
	(void)arg;
	double s = 0;

	for (int i = 1; i <= 4; i++) {
		s += i * 0.5;
	}
	mean = s / 4;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p;

	assert(tenth + tenth + tenth != 0.3 && fabs(tenth + tenth + tenth - 0.3) < 1e-15);
	assert((float)((double)third) == third && (double)third != 1.0 / 3);
	assert((int)-2.75 == -2 && (unsigned)3.99 == 3 && (long)1e15 == 1000000000000000);
	assert(-zero == zero && 1 / -zero < 0);
	double nan = zero / zero;
	assert(nan != nan && !(nan < 1) && !(nan >= 1));
	assert(sqrt(tenth * 10 + 1.25) == 1.5);

	pthread_create(&p, NULL, compute, NULL);
	if (atomic_load_explicit(&ready, memory_order_acquire)) {
		assert(mean == 1.25);
	}
	pthread_join(p, NULL);
	assert(mean == 1.25);
	return 0;
}
