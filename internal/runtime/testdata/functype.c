// want: call as a function with parameters (pointer, 64-bit integer), where it has (pointer, 32-bit integer)
// A call-back of another type than its user expects. Pointers may point to anything.
#include <stddef.h>

struct item {
	int n;
};

static void set(struct item *i, int n) { i->n = n; }
static void clear(struct item *i) { i->n = 0; }

typedef void callback(void *, size_t);
typedef void simple(void *);

static void apply(callback *f, void *p) { f(p, 1); }
static void run(simple *f, void *p) { f(p); }

int main(void)
{
	struct item i;
	run((simple *)clear, &i);
	apply((callback *)set, &i);
	return i.n;
}
