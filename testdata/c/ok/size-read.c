// How large an object is depends on what main reads, and with it where those after it begin.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
static atomic_int x;
static void *other(void *a) { atomic_store(&x, 1); return a; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    int n = atomic_load(&x) ? 8 : 200000;
    char *big = malloc(n);
    int *small = malloc(sizeof *small), *more = malloc(sizeof *more);
    big[n - 1] = 1;
    *small = 2; *more = 3;
    assert(*small + *more == 5);
#ifdef WRONG
    big[n] = 1;
#endif
    free(big);
    *small = 4;
    free(small); free(more);
    pthread_join(t, NULL);
    return 0;
}
