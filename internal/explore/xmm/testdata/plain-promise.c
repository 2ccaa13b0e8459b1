/* Only an execution with a cycle has a race on d: docs/xmm.md. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ravel.h>
static atomic_int s, k, f, p, q;
static int d;
#define L(x) atomic_load_explicit(&x, memory_order_relaxed)
#define S(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
static void *reader(void *_) {
    int a = L(s);
    S(k, a + 1);
    if (a == 0) ravel_assume(atomic_load_explicit(&f, memory_order_acquire) == 1);
    if (d == 1) S(p, 1);
    return NULL;
}
static void *writer(void *_) {
    int t = L(k), v = L(q);
    if (t == 1 || (t == 2 && v == 1)) { d = 1; atomic_store_explicit(&f, 1, memory_order_release); }
    return NULL;
}
static void *third(void *_) { if (L(p) == 1) S(q, 1); return NULL; }
static void *fourth(void *_) { S(s, 1); return NULL; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL); pthread_create(&t, NULL, writer, NULL);
    pthread_create(&t, NULL, third, NULL); pthread_create(&t, NULL, fourth, NULL);
    return 0;
}
