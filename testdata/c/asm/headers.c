// A program for another processor that includes headers of the C library, whether they are installed for it or not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count;
static atomic_int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(uint32_t *p)
{
	uint32_t old, failed;
	__asm__ volatile("1: ldxr %w0, [%2]\n\tadd %w0, %w0, #1\n\tstxr %w1, %w0, [%2]\n\tcbnz %w1, 1b" : "=&r"(old), "=&r"(failed) : "r"(p) : "memory");
}

static void *run(void *arg)
{
	add(&count);
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;
	char *text = malloc(4);
	strcpy(text, "abc");
	assert(strlen(text) == 3);
	free(text);
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	assert(count == 2 && done == 2);
	printf("%u\n", count);
	return 0;
}
