// Declarations of library functions that a linker does not compare: results that are not there, prototypes that are not there.
// want: verified 1
// flags: -Wno-everything
extern int __VERIFIER_assume(int);
extern int free();
char *malloc();
int pthread_create();
void pthread_join();
void *f(a) void *a; { return a; }
int main()
{
	unsigned long t;
	char *p = malloc(4);
	int r = __VERIFIER_assume(p != 0);
	*p = 1;
	pthread_create(&t, 0, f, p);
	pthread_join(t, 0);
	free(p);
	if (strlen("abc") != 3)
		abort();
	assert(p);
	return 0;
}
