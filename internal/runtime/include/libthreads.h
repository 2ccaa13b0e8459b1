// libthreads.h: what programs written for older versions of CDSChecker call threads.h.
#include <threads.h>
