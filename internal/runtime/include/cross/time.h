#ifndef RAVEL_TIME_H
#define RAVEL_TIME_H
typedef long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
int nanosleep(const struct timespec *, struct timespec *);
time_t time(time_t *);
#endif
