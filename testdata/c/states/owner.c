/*
 * A thread tells another one of a variable on its stack, and may have ended when that is read. Nobody else accesses the variable, but to end
 * is in conflict with reading it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(atomic_int *) place;
static atomic_int met;

static void *owner(void *arg)
{
    atomic_int variable;

    (void)arg;
    atomic_init(&variable, 1);
    atomic_store(&place, &variable);
    while (atomic_load(&met) == 0 || atomic_load(&met) == 3)
        atomic_store(&met, 3);
    pthread_exit(NULL);
}

static void *guest(void *arg)
{
    atomic_int *variable = atomic_load(&place);

    (void)arg;
#ifdef RIGHT
    if (variable)
        atomic_load(variable);
    atomic_store(&met, 1);
#else
    atomic_store(&met, 1);
    if (variable)
        atomic_load(variable);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t, u;

    pthread_create(&t, NULL, owner, NULL);
    pthread_create(&u, NULL, guest, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
