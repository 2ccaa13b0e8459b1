// Leader election in a ring (Chang and Roberts): each passes on a number that is larger than its own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 3

atomic_int channel[N]; // 0 is empty
atomic_int leader, leaders;
static const int id[N] = {2, 3, 1};

void *node(void *arg)
{
	long i = (long)arg;
	long to = (i + 1) % N;
	int say = id[i];
	for (;;) {
		if (say) {
			while (atomic_load(&channel[to]))
				;
			atomic_store(&channel[to], say);
			if (say > N) // the news that there is a leader
				return 0;
		}
		int heard;
		while (!(heard = atomic_exchange(&channel[i], 0)))
			;
		say = heard > id[i] ? heard : 0;
		if (heard == id[i]) {
			atomic_store(&leader, id[i]);
			atomic_fetch_add(&leaders, 1);
			say = N + 1;
		}
	}
}

int main()
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, node, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(leader == 3 && leaders == 1);
}
