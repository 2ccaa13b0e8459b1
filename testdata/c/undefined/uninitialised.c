// Uses of values that were never written, and copies of them, which are right (C17 6.2.6.1, 6.7.9p10, 7.22.3.4).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int zero, one = 1;
struct pair { int a, b; };
struct padded { char c; int i; };
struct bits { unsigned a : 3, b : 5, c : 4; };
union word { uint32_t w; uint16_t h[2]; uint8_t b[4]; };
static struct pair shared;
static char sink[256];

#if defined BRANCH // a variable that no path writes
int main(void) { int x; if (one == 0) x = 1; if (x) return 1; return 0; }
#elif defined BRANCH_EMPTY // even if both ways lead to the same
int main(void) { int x; if (one == 0) x = 1; if (x) {} return 0; }
#elif defined COPY_ONLY // to copy it is right
int main(void) { int x, y; if (one == 0) x = 1; y = x; (void)y; return 0; }
#elif defined SWITCH
int main(void) { int *p = malloc(4); switch (*p) { case 1: return 0; default: return 0; } }
#elif defined ADDRESS // an index
int main(void) { int i; if (zero) i = 1; sink[i & 255] = 1; return 0; }
#elif defined ADDRESS_OK // of which all bits that matter are known
int main(void) { int i; if (zero) i = 1; sink[i & 0] = 1; return 0; }
#elif defined POINTER // a pointer in memory
int main(void) { int **p = malloc(8); **p = 1; return 0; }
#elif defined DIVISOR
int main(void) { int d; if (zero) d = 1; int q = 7 / (d | 1); (void)q; return 0; }
#elif defined CALL // a function pointer
static void f(void) {}
int main(void) { void (*g)(void); if (zero) g = f; g(); return 0; }
#elif defined CONDITIONAL // ?: chooses between values; using the result is the error
int main(void) { int x; if (zero) x = 1; int y = x ? 1 : 2; return y == 3; }
#elif defined ALLOCATION // a size
int main(void) { size_t n; if (zero) n = 1; free(malloc(n & 15)); return 0; }

#elif defined MEMCPY // through memcpy
int main(void) { int *a = malloc(8), *b = malloc(8); a[0] = 1; memcpy(b, a, 8); return b[1] == 3; }
#elif defined MEMCPY_OK // what was written
int main(void) { int *a = malloc(8), *b = malloc(8); a[0] = 1; memcpy(b, a, 8); return b[0] - 1; }
#elif defined MEMCPY_SHIFTED // at another alignment
int main(void) { char *a = malloc(16), *b = malloc(16); memset(a, 0, 9); memcpy(b + 3, a, 13); return b[11] == 0 && b[12] == 3; }
#elif defined MEMCPY_SHIFTED_OK
int main(void) { char *a = malloc(16), *b = malloc(16); memset(a, 0, 9); memcpy(b + 3, a, 13); return b[11]; }
#elif defined MEMMOVE // over itself
int main(void) { char *a = malloc(8); a[0] = a[1] = 1; memmove(a + 1, a, 7); return a[3] == 3; }
#elif defined MEMMOVE_OK
int main(void) { char *a = malloc(8); a[0] = a[1] = 1; memmove(a + 1, a, 7); return a[2] - 1; }
#elif defined OVERWRITTEN // a copy of what is undefined makes what was defined undefined
int main(void) { struct pair a, b = {1, 2}; if (zero) a.a = 1; b = a; return b.b == 3; }
#elif defined OVERWRITTEN_OK // and a write defines it
int main(void) { struct pair a, b; if (zero) a.a = 1; b = a; b.b = 3; return b.b - 3; }
#elif defined REALLOC // what realloc copies, and what it adds
int main(void) { int *p = malloc(8); p[0] = 1; p = realloc(p, 16); return p[1] == 3; }
#elif defined REALLOC_NEW
int main(void) { int *p = malloc(8); p[0] = p[1] = 1; p = realloc(p, 16); return p[2] == 3; }
#elif defined REALLOC_OK
int main(void) { int *p = malloc(8); p[0] = 1; p = realloc(p, 16); return p[0] - 1; }
#elif defined CALLOC
int main(void) { int *p = calloc(2, 4); return p[1]; }
#elif defined ASSIGNMENT // of a struct
int main(void) { struct pair a, b; a.a = 1; b = a; return b.b == 3; }
#elif defined ASSIGNMENT_OK // with padding
int main(void) { struct padded a, b; a.c = 1; a.i = 2; b = a; return b.c + b.i - 3; }
#elif defined PADDING // which is compared
int main(void) { struct padded a, b; a.c = b.c = 1; a.i = b.i = 2; return memcmp(&a, &b, sizeof a) == 3; }
#elif defined BY_VALUE // a struct that is passed and returned
static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
int main(void) { struct pair p; p.a = 1; p = swap(p); return p.a == 3; }
#elif defined BY_VALUE_OK
static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
int main(void) { struct pair p; p.a = 1; p = swap(p); return p.b - 1; }
#elif defined BYTES // a copy by hand
static void copy(char *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
int main(void) { struct padded *a = malloc(8), *b = malloc(8); a->c = 1; copy((char *)b, (char *)a, 8); return b->i == 3; }
#elif defined BYTES_OK
static void copy(char *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
int main(void) { struct padded *a = malloc(8), *b = malloc(8); a->c = 1; a->i = 2; copy((char *)b, (char *)a, 8); return b->i - 2; }
#elif defined GLOBAL // in static memory
int main(void) { struct pair *p = malloc(8); p->a = 1; memcpy(&shared, p, 8); return shared.b == 3; }
#elif defined GLOBAL_OK
int main(void) { return shared.b; }

#elif defined WIDER // a load of more than was written
int main(void) { union word u; u.h[0] = 1; return u.w < 70000; }
#elif defined WIDER_OK // of which only that is used
int main(void) { union word u; u.h[0] = 1; return (u.w & 0xffff) - 1; }
#elif defined NARROWER // a part of what was written by parts
int main(void) { union word *u = malloc(4); u->b[0] = u->b[3] = 1; return u->h[1] < 300; }
#elif defined NARROWER_OK
int main(void) { union word *u = malloc(4); u->b[0] = u->b[1] = 1; return u->h[0] - 257; }
#elif defined MIXED // compared, though other bits differ: C knows no value that is half indeterminate
int main(void) { union word u; u.b[0] = 1; u.b[1] = 2; uint32_t v = u.w; assert(v != 7); return 0; }
#elif defined BITS // bit-fields that are written one by one
int main(void) { struct bits b; b.a = 1; b.c = 2; return b.b == 3; }
#elif defined BITS_OK
int main(void) { struct bits b; b.a = 1; b.c = 2; return b.a + b.c - 3; }
#elif defined BITS_HEAP_OK
int main(void) { struct bits *b = malloc(sizeof *b), c; b->a = 1; b->c = 2; c = *b; return c.a + c.c - 3; }
#elif defined BITS_HEAP
int main(void) { struct bits *b = malloc(sizeof *b), c; b->a = 1; b->c = 2; c = *b; return c.b == 3; }
#elif defined MASKED_OK // arithmetic on bits of which none matters
int main(void) { unsigned x; if (zero) x = 1; x = (x << 8 | 5) & 255; return x - 5; }
#elif defined CARRIED // a carry: MSan takes the bit for defined
int main(void) { unsigned char *p = malloc(1); unsigned x = (*p & 1) + 1; if (x & 2) {} return 0; }
#elif defined SIGN // extends
int main(void) { signed char *p = malloc(1); int x = *p; return x < -200; }
#elif defined LOGICAL_OK // && and || look at the right operand only if they need it
int main(void) { int x; if (zero) x = 1; return zero && x; }
#elif defined LOOP_OK // a loop that writes before it reads
int main(void) { int x[4], s = 0; for (int i = 0; i < 4; i++) x[i] = i; for (int i = 0; i < 4; i++) s += x[i]; return s - 6; }
#elif defined LOOP // and one that leaves one out
int main(void) { int x[4], s = 0; for (int i = 1; i < 4; i++) x[i] = i; for (int i = 0; i < 4; i++) s += x[i]; return s < 6; }

#elif defined RESULT // a function that ends without return
static int f(int z) { if (z) return 1; }
int main(void) { int v = f(zero); return v ? 1 : 0; }
#elif defined RESULT_UNUSED // C17 6.9.1p12: that is right if nobody uses the value
static int f(int z) { if (z) return 1; }
int main(void) { f(zero); return 0; }
#elif defined RESULT_OK
static int f(int z) { if (!z) return 0; }
int main(void) { return f(zero) ? 1 : 0; }
#elif defined RESULT_RECURSIVE // in a function that can't be inlined
static int f(int n) { if (n > 3) return f(n - 1); if (n > 0) return f(n - 1) + 1; }
int main(void) { return f(one + one) > 3; }

#elif defined MEMCMP // the library looks at every byte
int main(void) { int *a = malloc(8), *b = malloc(8); a[0] = b[0] = 1; return memcmp(a, b, 8) == 3; }
#elif defined MEMCMP_OK
int main(void) { int *a = malloc(8), *b = malloc(8); a[0] = b[0] = 1; return memcmp(a, b, 4); }
#elif defined STRLEN
int main(void) { char b[8]; b[0] = 'a'; if (zero) b[1] = 0; return strlen(b) == 99; }
#elif defined STRLEN_OK
int main(void) { char b[8]; b[0] = 'a'; b[1] = 0; return strlen(b) - 1; }
#elif defined STRCPY_OK // copies up to the 0, not what follows
int main(void) { char *b = malloc(8), *c = malloc(8); strcpy(b, "abc"); strcpy(c, b); return strcmp(b, c); }
#elif defined PUTS
int main(void) { char b[8]; b[0] = 'a'; if (zero) b[1] = 0; puts(b); return 0; }
#elif defined PUTS_OK
int main(void) { char b[8]; b[0] = 'a'; b[1] = 0; puts(b); return 0; }
#elif defined PRINTF // output of a number; MSan does not look at the arguments of printf
int main(void) { int *p = malloc(4); printf("%d\n", *p); return 0; }
#elif defined PRINTF_STRING
int main(void) { char b[8]; b[0] = 'a'; if (zero) b[1] = 0; printf("%d %s\n", 1, b); return 0; }
#elif defined PRINTF_OK
int main(void) { char b[8]; b[0] = 'a'; b[1] = 0; printf("%d %s %%\n", 1, b); return 0; }
#elif defined FWRITE
int main(void) { char b[8]; b[0] = 'a'; if (zero) b[1] = 0; fwrite(b, 1, 2, stdout); return 0; }
#elif defined FWRITE_OK
int main(void) { char b[8]; b[0] = 'a'; fwrite(b, 1, 1, stdout); return 0; }

#elif defined MESSAGE // from one thread to another
static atomic_int ready;
static void *send(void *a)
{
	struct pair *p = malloc(sizeof *p);
	p->a = 1;
	memcpy(&shared, p, sizeof shared);
	atomic_store_explicit(&ready, 1, memory_order_release);
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, send, 0);
	while (!atomic_load_explicit(&ready, memory_order_acquire)) {}
#ifdef OK
	int bad = shared.a - 1;
#else
	int bad = shared.b == 3;
#endif
	pthread_join(t, 0);
	return bad;
}
#elif defined ARGUMENT // of a thread, and its result
static void *pass(void *a) { return a; }
int main(void)
{
	pthread_t t;
	void *p, *q;
	if (zero)
		p = 0;
	pthread_create(&t, 0, pass, p);
	pthread_join(t, &q);
#ifdef OK
	return 0;
#else
	return q == &t;
#endif
}
#elif defined ATOMIC // a read-modify-write of what was never written: C17 7.17.2.1p2; MSan takes it for an initialisation
int main(void) { atomic_int *p = malloc(4); atomic_fetch_add(p, 1); return 0; }
#elif defined ATOMIC_OK
int main(void) { atomic_int *p = malloc(4); atomic_init(p, 1); return atomic_fetch_add(p, 1) - 1; }
#elif defined CAS // what it expects
int main(void) { atomic_int x = 1; int e; if (zero) e = 1; return atomic_compare_exchange_strong(&x, &e, 2) ? 0 : 0; }
#endif
