// want: call a thread joins itself
#include <pthread.h>
int main(void) { return pthread_join(pthread_self(), 0); }
