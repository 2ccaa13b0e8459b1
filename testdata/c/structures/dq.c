/*
 * Work stealing with a plan per thread: how often it pushes, pops, pushes again, steals.
 *
 * Source: the programs DQ and DQ-opt of Pulte et al., "Promising-ARM/RISC-V", PLDI 2019
 * (DQ/211-2-1: the owner does 2 pushes, 1 pop, 1 push, the thieves steal twice and once);
 * the deque is in deque.h. GenMC's suite has them as `dq` and `dq-opt`.
 * Checked: every item is one that was pushed, and nobody gets an item twice.
 *
 * -DT1=2,1,1,0 -DT2=0,0,0,2 -DT3=0,0,0,1   the plans; only one of them may push and pop
 * -DFIRST=1 -DSECOND=2 -DTHIRD=3           the order in which the threads are created
 * and the macros of deque.h (-DOPT is `dq-opt`)
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "deque.h"

#ifndef T1
#define T1 2, 1, 1, 0
#endif
#ifndef T2
#define T2 0, 0, 0, 2
#endif
#ifndef T3
#define T3 0, 0, 0, 1
#endif
#ifndef FIRST
#define FIRST  1
#define SECOND 2
#define THIRD  3
#endif

enum { THREADS = 3, ITEMS = 8 };

struct plan {
    int push, pop, push_again, steal;
};

static struct worker {
    struct plan plan;
    int gained;
    int64_t items[ITEMS];
} workers[THREADS] = {{.plan = {T1}}, {.plan = {T2}}, {.plan = {T3}}};

static int64_t pushed;

static void push_next(void)
{
    if (deque_push(pushed + 1))
        pushed++;
}

static void gain(struct worker *self, int64_t item)
{
    if (item)
        self->items[self->gained++] = item;
}

static void *work(void *arg)
{
    struct worker *self = arg;

    for (int i = 0; i < self->plan.push; i++)
        push_next();
    for (int i = 0; i < self->plan.pop; i++)
        gain(self, deque_pop());
    for (int i = 0; i < self->plan.push_again; i++)
        push_next();
    for (int i = 0; i < self->plan.steal; i++)
        gain(self, deque_steal());
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int taken[ITEMS + 1] = {0};

    pthread_create(&t[0], NULL, work, &workers[FIRST - 1]);
    pthread_create(&t[1], NULL, work, &workers[SECOND - 1]);
    pthread_create(&t[2], NULL, work, &workers[THIRD - 1]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);

    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < workers[i].gained; j++) {
            int64_t item = workers[i].items[j];

            assert(item >= 1 && item <= pushed);
            assert(taken[item]++ == 0);
        }
    }
    return 0;
}
