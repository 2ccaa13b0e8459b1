// The process and its surroundings: messages, scheduling, processors, limits. None of them makes a difference to a check.
#include "rt.h"

_Noreturn void exit(int status);

// Output is dropped.
_Noreturn void err(int status, const char *f, ...) { exit(status); }
_Noreturn void errx(int status, const char *f, ...) { exit(status); }
void warn(const char *f, ...) {}
void warnx(const char *f, ...) {}
void flockfile(void *file) {}
void funlockfile(void *file) {}

// Scheduling parameters are ignored: all interleavings are explored.
int pthread_getschedparam(pthread_t t, int *policy, int *priority)
{
	*policy = *priority = 0;
	return 0;
}

int pthread_getname_np(pthread_t t, char *name, size_t n)
{
	if (n)
		name[0] = 0;
	return 0;
}

int sched_setscheduler(int pid, int policy, const void *p) { return 0; }
int sched_getscheduler(int pid) { return 0; } // SCHED_OTHER
int sched_setparam(int pid, const int *priority) { return 0; }
int sched_getparam(int pid, int *priority)
{
	*priority = 0;
	return 0;
}
int sched_get_priority_max(int policy) { return 99; }
int sched_get_priority_min(int policy) { return 1; }

static int all_cpus(size_t n, u8 *set)
{
	for (size_t i = 0; i < n; i++)
		set[i] = i == 0 ? 3 : 0; // two, as sysconf says
	return 0;
}

int sched_getaffinity(int pid, size_t n, void *set) { return all_cpus(n, set); }
int pthread_getaffinity_np(pthread_t t, size_t n, void *set) { return all_cpus(n, set); }

int __sched_cpucount(size_t n, const u8 *set)
{
	int count = 0;
	for (size_t i = 0; i < n; i++)
		count += __builtin_popcount(set[i]);
	return count;
}

int mlock(const void *p, size_t n) { return 0; }
int mlockall(int flags) { return 0; }
int getuid(void) { return 0; }
int geteuid(void) { return 0; }
int getgid(void) { return 0; }
int getegid(void) { return 0; }

int getrusage(int who, u64 *usage)
{
	for (int i = 0; i < 18; i++)
		usage[i] = 0;
	return 0;
}
