// A signal wakes one of two waiters: the other one waits forever.
// want: deadlock
#define WAKE pthread_cond_signal
#include "cond_two.h"
