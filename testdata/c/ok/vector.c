// Loops that the compiler turns into vector instructions (with -O2), and the vector extension itself.
#include <assert.h>
#include <stdint.h>

typedef int32_t v4 __attribute__((vector_size(16)));

enum { N = 64 };

int32_t a[N], b[N], c[N];
uint8_t bytes[N];

static void __attribute__((noinline)) multiply_add(int32_t *restrict r, const int32_t *restrict x, const int32_t *restrict y)
{
	for (int i = 0; i < N; i++) {
		r[i] = 3 * x[i] + (y[i] & 7);
	}
}

static uint32_t __attribute__((noinline)) total(const uint8_t *x)
{
	uint32_t s = 0;

	for (int i = 0; i < N; i++) {
		s += x[i];
	}
	return s;
}

static int32_t __attribute__((noinline)) greatest(const int32_t *x)
{
	int32_t m = x[0];

	for (int i = 1; i < N; i++) {
		m = x[i] > m ? x[i] : m;
	}
	return m;
}

int main(void)
{
	for (int i = 0; i < N; i++) {
		a[i] = i - 20;
		b[i] = 5 * i;
		bytes[i] = 4 * i;
	}
	multiply_add(c, a, b);
	for (int i = 0; i < N; i++) {
		assert(c[i] == 3 * (i - 20) + (5 * i & 7));
	}
	assert(total(bytes) == 4 * (N - 1) * N / 2);
	assert(greatest(a) == N - 1 - 20);

	v4 p = {1, 2, 3, 4}, q = {40, 30, 20, 10};
	v4 less = p * 10 < q;
	v4 r = __builtin_shufflevector(p + q, p, 3, 2, 4, 5);
	assert(less[0] == -1 && less[1] == -1 && less[2] == 0 && less[3] == 0);
	assert(r[0] == 14 && r[1] == 23 && r[2] == 1 && r[3] == 2);
	return 0;
}
