package machine

import "strings"

// blockingPrefixes begin the names of functions that wait: a thread that spins in one waits for a lock.
var blockingPrefixes = []string{
	"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_barrier_wait",
	"pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_spin_lock", "pthread_join", "pthread_once",
	"mtx_lock", "cnd_wait", "thrd_join", "call_once", "sem_wait",
}

// blocking reports whether the function of that name waits.
func blocking(name string) bool {
	for _, p := range blockingPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// instrument adds the checks of loops.
func (c *compiler) instrument(f *fn) {}
