// The heap. Every object starts at its own slot of the address space, so all but very large alignments hold already. An allocation never fails; one that always does, because no
// object can be so large, comes from a negative number and is an error.
#include "rt.h"

static void check_size(size_t n)
{
	if (n > (size_t)-1 / 2)
		misuse("allocation of more bytes than an object can have: a negative size?");
}

void *malloc(size_t n)
{
	check_size(n);
	return __ravel_alloc(n, FAMILY(MALLOC));
}

void free(void *p)
{
	if (p)
		__ravel_free(p, MALLOC, 0);
}

void cfree(void *p) { free(p); }

void *calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __ravel_alloc(bytes, FAMILY(MALLOC) | ZEROED);
}

void *realloc(void *p, size_t n)
{
	if (!p)
		return malloc(n);
	if (n == 0) {
		free(p);
		return NULL;
	}
	size_t old = __ravel_size(p);
	void *q = malloc(n);
	__builtin_memcpy(q, p, old < n ? old : n);
	free(p);
	return q;
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

INLINE int power_of_two(size_t n) { return n && !(n & (n - 1)); }

// C leaves an alignment that is none undefined; glibc, depending on its version, rounds it up or refuses it.
void *aligned_alloc(size_t align, size_t n)
{
	if (!power_of_two(align))
		misuse("allocation with an alignment that is not a power of two");
	check_size(n);
	return __ravel_alloc_aligned(n, FAMILY(MALLOC), align);
}

void *memalign(size_t align, size_t n) { return aligned_alloc(align, n); }
void *valloc(size_t n) { return malloc(n); }
void *pvalloc(size_t n) { return malloc(n); }

int posix_memalign(void **p, size_t align, size_t n)
{
	if (!power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	*p = aligned_alloc(align, n);
	return 0;
}

size_t malloc_usable_size(void *p) { return p ? __ravel_size(p) : 0; }

// strdup copies byte by byte, so that the string is accessed in bytes throughout.
char *strndup(const char *s, size_t max)
{
	size_t n = 0;
	while (n < max && s[n])
		n++;
	char *t = malloc(n + 1);
	for (size_t i = 0; i < n; i++)
		t[i] = s[i];
	t[n] = 0;
	return t;
}

char *strdup(const char *s) { return strndup(s, -1ul); }
char *__strdup(const char *s) { return strdup(s); }
