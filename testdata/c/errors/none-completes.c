// The assumption holds for no address that malloc returns, so what comes after it is never reached.
#include <stdlib.h>

void __VERIFIER_assume(int);

int main(void)
{
	int *p = malloc(sizeof *p);

	__VERIFIER_assume((unsigned long)p < 16); // STAYS
	abort();
}
