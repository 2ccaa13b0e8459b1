/*
 * Small shapes, chosen by a macro; the accesses have the mode MODE (seq_cst), which stands for Java's volatile.
 *
 * -DSB=N     N threads write their location and read the next one's
 * -DIRIW     two writers, two readers that look in different orders
 * -DLB       load buffering with plain accesses: allowed by Java
 * -DLBFAKE   the same with a branch that makes no difference
 * -DTHINAIR  the same, where each write waits for the other one: forbidden
 * -DTHINVALUE  the same, where each thread writes what it has read: no other value than 0
 * -DHANDBACK a slot that is read, handed back by a release and written again, beside a race
 * -DSBPLAIN  store buffering with plain accesses: races, but all that Java allows is explored
 * -DMPPLAIN  a message by a plain flag: the assertion can fail
 * -DMPVOL    a message by a volatile flag
 * -DCORR     two plain reads of a location that another thread writes
 * -DWAIT     a plain location that two threads access in turn, by a volatile flag: no race
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <ravel.h>

#ifndef MODE
#define MODE memory_order_seq_cst
#endif

static void run(int n, void *(*body[])(void *))
{
    pthread_t t[8];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, body[i], (void *)(intptr_t)i);
}

#define STORE(a, v) atomic_store_explicit(&a, v, MODE)
#define LOAD(a) atomic_load_explicit(&a, MODE)

#ifdef SB
static atomic_int x[SB];
static void *body(void *arg)
{
    intptr_t i = (intptr_t)arg;
    STORE(x[i], 1);
    (void)LOAD(x[(i + 1) % SB]);
    return NULL;
}
int main(void)
{
    void *(*bodies[])(void *) = { body, body, body, body, body, body };
    run(SB, bodies);
    return 0;
}
#endif

#ifdef IRIW
static atomic_int x, y;
static void *w1(void *arg) { STORE(x, 1); return arg; }
static void *w2(void *arg) { STORE(y, 1); return arg; }
static void *r1(void *arg) { (void)LOAD(x); (void)LOAD(y); return arg; }
static void *r2(void *arg) { (void)LOAD(y); (void)LOAD(x); return arg; }
int main(void)
{
    void *(*bodies[])(void *) = { w1, w2, r1, r2 };
    run(4, bodies);
    return 0;
}
#endif

#if defined LB || defined LBFAKE || defined THINAIR || defined THINVALUE || defined HANDBACK || defined SBPLAIN || defined MPPLAIN || defined MPVOL || defined CORR || defined WAIT
static int x, y;
static atomic_int flag;
static int sink;
#if defined LB
static void *one(void *arg) { int a = x; y = 1; (void)a; return arg; }
static void *two(void *arg) { int a = y; x = 1; (void)a; return arg; }
#elif defined LBFAKE
static void *one(void *arg) { int a = x; if (a >= 0) y = 1; else y = 1; assert(a == 0); return arg; }
static void *two(void *arg) { x = y; return arg; }
#elif defined THINAIR
static void *one(void *arg) { if (x) y = 1; return arg; }
static void *two(void *arg) { if (y) x = 1; return arg; }
#elif defined THINVALUE
static void *one(void *arg) { y = x; return arg; }
static void *two(void *arg) { int a = y; assert(a != 42); x = a; return arg; }
#elif defined HANDBACK
static int stat1, stat2;
static void *one(void *arg)
{
    sink = stat1;
    stat2 = 1;
    assert(x == 0);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}
static void *two(void *arg)
{
    y = stat2;
    stat1 = 1;
    if (atomic_load_explicit(&flag, memory_order_acquire))
        x = 1;
    return arg;
}
#elif defined SBPLAIN
static void *one(void *arg) { x = 1; int a = y; (void)a; return arg; }
static void *two(void *arg) { y = 1; int a = x; (void)a; return arg; }
#elif defined MPPLAIN
static void *one(void *arg) { x = 1; y = 1; return arg; }
static void *two(void *arg) { if (y) assert(x == 1); return arg; }
#elif defined MPVOL
static void *one(void *arg) { x = 1; STORE(flag, 1); return arg; }
static void *two(void *arg) { if (LOAD(flag)) assert(x == 1); return arg; }
#elif defined CORR
static void *one(void *arg) { x = 1; return arg; }
static void *two(void *arg) { int a = x, b = x; (void)a; (void)b; return arg; }
#else
static void *one(void *arg) { x = 1; STORE(flag, 1); ravel_assume(LOAD(flag) == 2); sink = x; return arg; }
static void *two(void *arg) { ravel_assume(LOAD(flag) == 1); x++; STORE(flag, 2); return arg; }
#endif
int main(void)
{
    void *(*bodies[])(void *) = { one, two };
    run(2, bodies);
    return 0;
}
#endif
