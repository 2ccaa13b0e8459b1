// Functions whose names begin with __VERIFIER_atomic_ are atomic sections, one inside of another too.
#include <pthread.h>

void reach_error(void) {}

int x, y;

void __VERIFIER_atomic_both(void)
{
	x++;
	y++;
}

void __VERIFIER_atomic_move(int n)
{
	int old = x;
	if (n == 0)
		return;
	x = old - n;
	__VERIFIER_atomic_both();
}

#ifdef WRONG
#define check looks // no section
#else
#define check __VERIFIER_atomic_looks
#endif

void check(void)
{
	if (x != 0 && x != 1 && x != -1 || y != 0 && y != 1)
		reach_error();
	if (x - y != 0 && x - y != -2)
		reach_error();
}

void *mover(void *arg)
{
	__VERIFIER_atomic_move(2);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, mover, 0);
	check();
	pthread_join(t, 0);
	return 0;
}
