/*
 * psc-wb-fp-sezgin: whether the sc axiom holds is known only after several rounds of deriving coherence.
 *
 *     c=2; a=2; b==2  ||  c=1; a==2; b==1  ||  b=2; a=1; c==2  ||  b=1; a==1; c==1
 *
 * All accesses are sc, and what is compared is assumed. Source: GenMC's suite, by its shape.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ravel.h>

static atomic_int a, b, c;

static void *t1(void *arg)
{
    atomic_store(&c, 2);
    atomic_store(&a, 2);
    ravel_assume(atomic_load(&b) == 2);
    return arg;
}

static void *t2(void *arg)
{
    atomic_store(&c, 1);
    ravel_assume(atomic_load(&a) == 2);
    ravel_assume(atomic_load(&b) == 1);
    return arg;
}

static void *t3(void *arg)
{
    atomic_store(&b, 2);
    atomic_store(&a, 1);
    ravel_assume(atomic_load(&c) == 2);
    return arg;
}

static void *t4(void *arg)
{
    atomic_store(&b, 1);
    ravel_assume(atomic_load(&a) == 1);
    ravel_assume(atomic_load(&c) == 1);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], NULL, t1, NULL);
    pthread_create(&t[1], NULL, t2, NULL);
    pthread_create(&t[2], NULL, t3, NULL);
    pthread_create(&t[3], NULL, t4, NULL);
    return 0;
}
