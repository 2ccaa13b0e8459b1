// Is the Linux kernel's queued spinlock a lock?
//
//	ravel check --model armv8,power,riscv,lkmm,lkmm-2018 examples/qspinlock/qspinlock.c
//
// On hardware it is. Under the kernel's own memory model, as it was until Linux 6.2, it is not: a thread gives the lock back
// with a release, another one changes the tail with a relaxed read-modify-write, and the next owner acquires what that wrote: nothing
// then orders the two owners. Found by Paolillo, Ponce-de-León, Haas, Behrens, Chehab, Fu, Meyer: Verifying and optimizing compact
// NUMA-aware locks on weak memory models, 2021. Linux 6.3 changed the model: a release goes on through
// read-modify-writes of others, as it does in C11. So lkmm finds nothing wrong with three threads. With four (-- -DTHREADS=4) it does:
// the thread that changes the tail may itself be the one that then acquires what it wrote, and within a thread the release does not
// go on. Armv8, POWER and RISC-V order that too.
#include <assert.h>
#include <pthread.h>

#include "qspinlock.h"

#ifndef THREADS
#define THREADS 3
#endif

static struct qspinlock lock;
static int shared;

static void *cpu(void *arg)
{
	qspin_lock(&lock, (int)(long)arg);
	shared++;
	qspin_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t t[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, cpu, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	assert(shared == THREADS);
}
