// C11 7.26.5.3p2: the thread shall not have been detached before.
// want: call detach of a detached thread
#include <threads.h>
static int f(void *arg) { return 0; }
int main(void)
{
	thrd_t t;
	thrd_create(&t, f, 0);
	thrd_detach(t);
	thrd_detach(t);
}
