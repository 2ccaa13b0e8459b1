// Uses of variables after the end of their lifetime (C17 6.2.4), and the right programs beside them.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int *global;
static volatile int two = 2;

static int *identity(int *p) { return p; }

#if defined RETURN // a pointer to a local is returned
static int *local(int v) { int l = v; int *p = &l; return p; }
int main(void) { int *p = local(3); return *p - 3; }

#elif defined RETURN_WRITE // and written to
static int *local(int v) { int l = v; return identity(&l); }
int main(void) { int *p = local(3); *p = 4; return 0; }

#elif defined RETURN_OK // only what it points to is used, in time
static int local(int v) { int l = v; int *p = &l; return *identity(p); }
int main(void) { return local(3) - 3; }

#elif defined RETURN_STRUCT // a member of a local, found through two calls
struct s { int a, b[3]; };
static int *inner(struct s *s) { return &s->b[1]; }
static int *outer(void) { struct s s = {1, {2, 3, 4}}; return inner(&s); }
int main(void) { int *p = outer(); return *p - 3; }

#elif defined RETURN_PARAMETER // parameters are locals too
static int *address(int v) { return identity(&v); }
int main(void) { return *address(5) - 5; }

#elif defined RETURN_GLOBAL // through a global, by another thread
static void set(void) { int l = 1; global = &l; }
static void *thread(void *a) { return (void *)(long)*global; }
int main(void) { set(); pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); return 0; }

#elif defined RETURN_RECURSIVE // the frame of a function that can't be inlined
static int *deep(int n) { int l = n; return n ? deep(n - 1) : identity(&l); }
int main(void) { return *deep(two); }

#elif defined RETURN_RECURSIVE_OK // a pointer to the caller's variable
static int deep(int n, int *p) { int l = *p + 1; return n ? deep(n - 1, &l) : *p; }
int main(void) { int z = 0; return deep(two, &z) - 2; }

#elif defined RETURN_COPY // memcpy from a variable that is gone
static char *text(void) { char b[8] = "abc"; return (char *)identity((int *)b); }
int main(void) { char c[8]; memcpy(c, text(), 8); return c[0] - 'a'; }

#elif defined ALLOCA // memory of alloca is freed at the return
static int *allocated(int n) { int *p = __builtin_alloca(n * sizeof *p); p[0] = 1; return identity(p); }
int main(void) { return *allocated(two) - 1; }

#elif defined ALLOCA_OK // and not before, even if the block has ended
int main(void)
{
	int *p = 0;
	if (two == 2) {
		p = __builtin_alloca(two * sizeof *p);
		p[1] = 1;
	}
	return p[1] - 1;
}

#elif defined SCOPE // a block has ended
int main(void)
{
	int *p;
	{
		int l = 5;
		p = &l;
	}
	return *p - 5;
}

#elif defined SCOPE_ESCAPES
int main(void)
{
	{
		int l = 5;
		global = &l;
	}
	*global = 1;
	return 0;
}

#elif defined SCOPE_OK
int main(void)
{
	int r;
	{
		int l = 5;
		int *p = identity(&l);
		r = *p;
	}
	{
		int k = 6;
		int *p = identity(&k);
		r -= *p - 1;
	}
	return r;
}

#elif defined SCOPE_GOTO // a jump out of a block ends its variables
int main(void)
{
	for (;;) {
		int l = 7;
		global = &l;
		if (two == 2)
			goto out;
	}
out:
	return *global - 7;
}

#elif defined SCOPE_GOTO_OK // a jump within a block doesn't; nor do variables begin anew that a jump skips
int main(void)
{
	int n = 0;
	{
		int l = 7;
		global = &l;
	again:
		if (++n < two)
			goto again;
		n += *global;
	}
	switch (two) {
		int k;
	case 2:
		k = 1;
		global = &k;
		n += *global;
	}
	return n - 10;
}

#elif defined SCOPE_IF // the variable of one arm
int main(void)
{
	if (two == 2) {
		int l = 1;
		global = &l;
	} else {
		global = malloc(sizeof *global);
	}
	return *global - 1;
}

#elif defined SCOPE_LOOP // each round has a variable of its own
int main(void)
{
	int *last = 0, sum = 0;
	for (int i = 0; i < two; i++) {
		int l = i;
		if (last)
			sum += *last;
		last = identity(&l);
	}
	return sum + *last;
}

#elif defined SCOPE_LOOP_OK
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		int l = i;
		global = &l;
		if (i == 1)
			continue;
		sum += *global;
	}
	return sum - 2;
}

#elif defined SCOPE_LOOP_UNWRITTEN // what the round before wrote is gone
int main(void)
{
	int sum = 0;
	for (int i = 0; i < two; i++) {
		int l;
		if (i == 0)
			l = 1;
		sum += l > 0;
	}
	return sum - 2;
}

#elif defined SCOPE_FOR // the variable of the loop itself
int main(void)
{
	for (int i = 0; i < two; i++)
		global = &i;
	return *global - 2;
}

#elif defined SCOPE_THREAD // another thread gets the address, and main leaves the block after the join
static void *thread(void *p) { *(int *)p = 2; return p; }
int main(void)
{
	pthread_t t;
	void *p;
	{
		int l = 1;
		pthread_create(&t, 0, thread, &l);
		pthread_join(t, &p);
	}
	return *(int *)p - 2;
}

#elif defined SCOPE_THREAD_OK
static void *thread(void *p) { *(int *)p += 2; return p; }
int main(void)
{
	for (int i = 0; i < two; i++) {
		pthread_t t;
		int l = i;
		pthread_create(&t, 0, thread, &l);
		pthread_join(t, 0);
		assert(l == i + 2);
	}
	return 0;
}

#elif defined VLA // an array of variable length
int main(void)
{
	for (int i = 1; i <= two; i++) {
		int v[i];
		v[i - 1] = i;
		global = v;
	}
	return global[1] - 2;
}

#elif defined VLA_OK
int main(void)
{
	int sum = 0;
	for (int i = 1; i <= 3; i++) {
		int v[i];
		if (i == 2)
			continue;
		int w[i + 1];
		v[i - 1] = w[i] = i;
		global = v;
		sum += *identity(&w[i]) + global[i - 1];
	}
	return sum - 8;
}

#elif defined VLA_RETURN
static int *array(int n) { int v[n]; v[0] = n; return identity(v); }
int main(void) { return *array(two) - 2; }

#elif defined EXIT // what runs at exit finds main's variables gone
static void last(void) { two = *global; }
int main(void) { int l = 1; global = &l; atexit(last); return 0; }

#elif defined EXIT_OK // exit does not return
static void last(void) { two = *global; }
int main(void) { int l = 1; global = &l; atexit(last); exit(0); }
#endif
