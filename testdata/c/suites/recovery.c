// What is in persistent memory after a crash is not modelled.
#include <assert.h>
#include <genmc.h>

int x;

void __VERIFIER_recovery_routine(void) { assert(x == 1); }

int main(void)
{
	x = 1;
	__VERIFIER_pbarrier();
	return 0;
}
