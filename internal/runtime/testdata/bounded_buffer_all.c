// want: verified
#define WAKE pthread_cond_broadcast
#include "bounded_buffer.h"
