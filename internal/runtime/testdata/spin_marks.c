// want: verified 1
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
static atomic_int x;
static void *f(void *arg)
{
	atomic_store(&x, 1);
	return 0;
}
int main(void)
{
	__VERIFIER_spawn(f, 0);
	int r;
	__VERIFIER_loop_begin();
	do {
		__VERIFIER_spin_start();
		r = atomic_load(&x);
		__VERIFIER_spin_end(r == 1);
	} while (r != 1);
}
