// Orders of the three critical sections: WWS 2, then 2 orders to wake up: 4; WSW 2, then 2: 4; SWW: 2.
// want: verified 10
#define WAKE pthread_cond_broadcast
#include "cond_two.h"
