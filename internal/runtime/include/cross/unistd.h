#ifndef RAVEL_UNISTD_H
#define RAVEL_UNISTD_H
int usleep(unsigned);
unsigned sleep(unsigned);
_Noreturn void _exit(int);
#endif
