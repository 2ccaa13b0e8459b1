// What differs in a program of 32 bits: arithmetic of pointers modulo 2^32, variable arguments, structs by value, accesses of 8 bytes that
// are aligned to 4, conversions in printf, large objects and alignments.
typedef unsigned int size_t;
extern void *malloc(size_t);
extern void *realloc(void *, size_t);
extern void *aligned_alloc(size_t, size_t);
extern void free(void *);
extern void *memset(void *, int, size_t);
extern int strcmp(const char *, const char *);
extern int snprintf(char *, size_t, const char *, ...);
extern int vsnprintf(char *, size_t, const char *, __builtin_va_list);
extern void abort(void);
#define assert(c) ((c) ? (void)0 : abort())

struct big {
	int a[5];
	long long ll;
	double d;
	char c;
};
struct small {
	short s;
	char c;
};
_Static_assert(sizeof(struct big) == 40, "long long and double are aligned to 4");

static int sum(int n, ...)
{
	__builtin_va_list ap;
	__builtin_va_start(ap, n);
	long long t = 0;
	for (int i = 0; i < n; i++) {
		t += __builtin_va_arg(ap, int);
		t += __builtin_va_arg(ap, long long);
		t += (int)__builtin_va_arg(ap, double);
		struct big b = __builtin_va_arg(ap, struct big);
		struct small s = __builtin_va_arg(ap, struct small);
		t += b.a[4] + b.c + s.s + *__builtin_va_arg(ap, char *);
	}
	__builtin_va_end(ap);
	return t;
}

static int format(char *to, size_t n, const char *f, ...)
{
	__builtin_va_list ap, again;
	__builtin_va_start(ap, f);
	__builtin_va_copy(again, ap);
	int a = vsnprintf(to, n, f, ap), b = vsnprintf(to, n, f, again);
	__builtin_va_end(ap);
	return a == b ? a : -1;
}

static struct big make(int x) { return (struct big){{x, x, x, x, x}, 7, 1.5, 2}; }
static int take(struct big b, struct small s, int *p) { return (b.a[0] += 100) + s.s + *p + (int)b.ll + (int)b.d; }

static int (*table[])(struct big, struct small, int *) = {take, 0};
static struct ring {
	int x;
	struct ring *self;
} ring = {5, &ring};
static char text[] = "hello", *into[] = {text, text + 1, 0};

int main(void)
{
	struct big b = make(3);
	struct small s = {4, 'c'};
	int v = 10;
	assert(take(b, s, &v) == 125 && b.a[0] == 3 && table[0](b, s, &v) == 125 && !table[1]);
	assert(sum(2, 1, 8ll, 2.5, b, s, "A", 1, 2ll, 3.0, b, s, "A") == 165);
	assert(ring.self->self->x == 5 && *into[1] == 'e' && !into[2]);

	char line[80];
	assert(snprintf(line, sizeof line, "%d %ld %lld %s %c %zu", -1, -2l, 1ll << 40, "str", 'q', sizeof(long)) == 27);
	assert(!strcmp(line, "-1 -2 1099511627776 str q 4"));
	assert(format(line, sizeof line, "%s/%ld/%lld", "a", 3l, 4ll) == 5 && !strcmp(line, "a/3/4"));

	char *large = malloc(10000), *next = malloc(3);
	memset(large, 1, 10000);
	large = realloc(large, 20000);
	assert(large[9999] == 1 && &large[100] - &large[40] == 60);
	int *aligned = aligned_alloc(65536, 4);
	assert((unsigned long)aligned % 65536 == 0);

	int m[3][4];
	for (int i = 0; i < 12; i++)
		m[i / 4][i % 4] = i;
	volatile int one = 1, minus = -1;
	volatile unsigned wraps = -2;
	int(*row)[4] = m + 2;
	assert(row[minus][one] == 5 && (*(row + minus))[3] == 7 && &m[0][2] + wraps == &m[0][0]);
	struct ring *volatile before = (struct ring *)((char *)0 - 4); // container_of of a null pointer
	assert((unsigned)before == -4u && !&before->self);

	struct {
		int odd;
		long long at4;
	} atom = {0, 5};
	assert(__atomic_fetch_add(&atom.at4, 1ll << 33, __ATOMIC_SEQ_CST) == 5 && atom.at4 == (1ll << 33) + 5);
	_Atomic long long at8 = 1;
	at8 += 1ll << 40;
	assert(at8 == (1ll << 40) + 1);
	free(large);
	free(next);
	free(aligned);
}
