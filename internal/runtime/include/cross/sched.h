#ifndef RAVEL_SCHED_H
#define RAVEL_SCHED_H
int sched_yield(void);
#endif
