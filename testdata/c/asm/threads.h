// What the programs here need of the C library, so that they compile for processors whose headers are not installed.
int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
void __VERIFIER_assert(int);
#define check(x) do { if (!(x)) __VERIFIER_assert(0); } while (0)
