// want: call
#include <pthread.h>
int main(void) { pthread_join(100, 0); }
