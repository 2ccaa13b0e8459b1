/*
 * Work stealing: the owner pushes 5 items, pops 3, pushes 2; each thief steals once.
 *
 * Source: see deque.h. GenMC's suite has it as `chase-lev`.
 * Checked: every item is one that was pushed, and nobody gets an item twice.
 *
 * -DSTEALERS=1    thieves
 * and the macros of deque.h
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "deque.h"

#ifndef STEALERS
#define STEALERS 1
#endif

enum { FIRST = 5, POPS = 3, LATER = 2 };

static int64_t popped[POPS];
static int64_t stolen[STEALERS];
static int64_t pushed;

static void push_next(void)
{
    if (deque_push(pushed + 1))
        pushed++;
}

static void *owner(void *arg)
{
    (void)arg;
    for (int i = 0; i < FIRST; i++)
        push_next();
    for (int i = 0; i < POPS; i++)
        popped[i] = deque_pop();
    for (int i = 0; i < LATER; i++)
        push_next();
    return NULL;
}

static void *thief(void *result)
{
    *(int64_t *)result = deque_steal();
    return NULL;
}

static void take(int *taken, int64_t item)
{
    assert(item >= 0 && item <= pushed);
    assert(item == 0 || taken[item]++ == 0);
}

int main(void)
{
    pthread_t o, t[STEALERS];
    int taken[FIRST + LATER + 1] = {0};

    pthread_create(&o, NULL, owner, NULL);
    for (int i = 0; i < STEALERS; i++)
        pthread_create(&t[i], NULL, thief, &stolen[i]);

    pthread_join(o, NULL);
    for (int i = 0; i < STEALERS; i++)
        pthread_join(t[i], NULL);

    for (int i = 0; i < POPS; i++)
        take(taken, popped[i]);
    for (int i = 0; i < STEALERS; i++)
        take(taken, stolen[i]);
    return 0;
}
