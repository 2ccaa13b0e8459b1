// Producers and consumers share one condition variable, and signal wakes the wrong one.
// want: deadlock
#define WAKE pthread_cond_signal
#include "bounded_buffer.h"
