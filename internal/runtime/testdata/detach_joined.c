// C11 7.26.5.3p2: the thread shall not have been joined before.
// want: call detach of a thread that is joined
#include <threads.h>
static int f(void *arg) { return 0; }
int main(void)
{
	thrd_t t;
	thrd_create(&t, f, 0);
	thrd_join(t, 0);
	thrd_detach(t);
}
