// Wrong uses of RCU and SRCU.
#include <lkmm.h>

static int x;
static struct srcu_struct s, other;

int main(void)
{
	int i = srcu_read_lock(&s);
#if defined WAITS
	rcu_read_lock();
	synchronize_rcu();
	rcu_read_unlock();
#elif defined SRCU_WAITS
	synchronize_srcu(&s);
#elif defined OPEN
	rcu_read_lock();
#elif defined UNLOCKED
	rcu_read_unlock();
#elif defined OTHER
	srcu_read_unlock(&other, i);
#elif defined SLEEPS
	rcu_read_lock();
	synchronize_srcu(&other);
	rcu_read_unlock();
#else
	rcu_read_lock();
	rcu_read_unlock();
	synchronize_srcu(&other);
	synchronize_rcu();
#endif
	srcu_read_unlock(&s, i);
	return READ_ONCE(x);
}
