#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdio.h>
struct P {int a; char b; struct P *next; long double ld; _Atomic long q[3];};
atomic_int x, y; int r1, r2; struct P ps[2] = {{1,'c',&ps[1]}};
static _Thread_local int tl = 4;
void *t1(void *a){ atomic_store_explicit(&x,1,memory_order_relaxed); r1 = atomic_load(&y); tl++; return 0;}
void *t2(void *a){ int e=0; atomic_compare_exchange_weak(&x,&e,2); atomic_fetch_add(&y,1); atomic_thread_fence(memory_order_seq_cst); return (void*)(long)tl;}
int main(){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); assert(r1==0||r2==0); printf("%d %f\n", r1, 1.5f); struct P p = ps[0]; ps[1]=p; __asm__ volatile("lock; addl $0,0(%%rsp)":::"memory"); return 0;}
