// Anonymous memory is zeroed and aligned to pages; it can be unmapped once. Sleeping takes no time.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int *page;

static void *use(void *arg)
{
	page[1023] = 1;
	usleep(10);
	return arg;
}

int main(void)
{
	pthread_t t;
	page = mmap(0, 4000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(page != MAP_FAILED && (uintptr_t)page % 4096 == 0 && page[7] == 0 && page[1023] == 0);
	assert(mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	pthread_create(&t, 0, use, 0);
	poll(0, 0, 10);
#ifdef EARLY
	munmap(page, 4000);
	pthread_join(t, 0);
#else
	pthread_join(t, 0);
	assert(page[1023] == 1);
#ifdef FREE
	free(page);
#else
	assert(munmap(page, 4000) == 0);
#endif
#endif
	return 0;
}
