// want: call
// pending: the engine to see that there is no such thread
#include <pthread.h>
int main(void) { pthread_join(100, 0); }
