// Spin locks that turn interrupts off, of which there are none, and the kernel's assertions.
#include <lkmm.h>
#include <pthread.h>

DEFINE_SPINLOCK(lock);
int x;

void *thread(void *arg)
{
	unsigned long flags;
	spin_lock_irqsave(&lock, flags);
	x++;
	spin_unlock_irqrestore(&lock, flags);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	spin_lock_irq(&lock);
	x++;
	spin_unlock_irq(&lock);
	pthread_join(t, 0);
	spin_lock_bh(&lock);
	BUG_ON(x != SUM);
	WARN_ON(x < 0);
	spin_unlock_bh(&lock);
	return 0;
}
