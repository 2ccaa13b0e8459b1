// LLMC's form and names: procedures, its 16-byte compare-and-swap, atomic sections, the memcpy family, and a heap, which it had not.
// -DUNGUARDED leaves the atomic sections out, -DHALVES updates the pair in two halves.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int __atomic_compare_exchange_llmc(size_t, void *, void *, void *, int, int);
void llmc_atomic_begin(void);
void llmc_atomic_end(void);

#ifdef UNGUARDED
#define llmc_atomic_begin()
#define llmc_atomic_end()
#endif

struct pair {
	long a, b;
} __attribute__((aligned(16)));

struct pair global, *heap;
int n;

static void add(struct pair *p, long d)
{
#ifdef HALVES
	p->a += d;
	p->b -= d;
#else
	struct pair old = {0, 0}, new;
	do {
		new.a = old.a + d;
		new.b = old.b - d;
	} while (!__atomic_compare_exchange_llmc(16, p, &old, &new, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
}

int llmc_init(void)
{
	heap = malloc(sizeof *heap);
	memset(heap, 0, sizeof *heap);
	return 0;
}

static int both(long d)
{
	add(&global, d);
	add(heap, d);
	llmc_atomic_begin();
	n++;
	llmc_atomic_end();
	return 0;
}

int llmc_proc_one(void) { return both(1); }
int llmc_proc_two(void) { return both(2); }

int llmc_fini(void)
{
	struct pair copy;
	memcpy(&copy, heap, sizeof copy);
	assert(global.a == 3 && global.b == -3);
	assert(memcmp(&copy, &global, sizeof copy) == 0);
	assert(n == 2);
	free(heap);
	return 0;
}
