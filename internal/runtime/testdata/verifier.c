// Two orders of the atomic sections, times two values, times three.
// want: verified 12
#include <assert.h>
#include <genmc.h>
#include <ravel.h>
#include <stdatomic.h>
#include <svcomp.h>
static int x;
static atomic_int y;
static void *f(void *arg)
{
	__VERIFIER_atomic_begin();
	x++;
	__VERIFIER_atomic_end();
	return (void *)9;
}
int main(void)
{
	__VERIFIER_thread_t t = __VERIFIER_spawn(f, 0);
	ravel_thread u = ravel_spawn(f, 0);
	__VERIFIER_join_symmetric(t);
	assert(ravel_join(u) == (void *)9);
	__VERIFIER_assert(x == 2);
	int b = __VERIFIER_nondet_bool();
	int r = ravel_range(-2, 3);
	__VERIFIER_assume(r % 2 == 0);
	assert(r == -2 || r == 0 || r == 2);
	ravel_assume(ravel_choose(3) == 2);
	__VERIFIER_final_write(atomic_store(&y, b));
	if (!__VERIFIER_final_CAS(atomic_compare_exchange_strong(&y, &b, 2)))
		reach_error();
	__VERIFIER_plock_t l = {0};
	__VERIFIER_plock_lock(&l);
	__VERIFIER_plock_unlock(&l);
	_Atomic(int *) p = &x;
	__VERIFIER_hp_t *hp = __VERIFIER_hp_alloc();
	int *q = __VERIFIER_hp_protect(hp, &p);
	assert(*q == 2);
	__VERIFIER_hp_retire(q);
	__VERIFIER_hp_free(hp);
	__VERIFIER_optional(assert(0));
	return 0;
}
