package java.util.concurrent;

import java.util.concurrent.atomic.AtomicInteger;

/** The permits are one word, as the state of AbstractQueuedSynchronizer. A thread that waits has no place in a queue. */
public class Semaphore implements java.io.Serializable {
    private final AtomicInteger permits;
    private final boolean fair;

    public Semaphore(int permits) {
        this(permits, false);
    }

    public Semaphore(int permits, boolean fair) {
        this.permits = new AtomicInteger(permits);
        this.fair = fair;
    }

    private static void check(int n) {
        if (n < 0)
            throw new IllegalArgumentException();
    }

    public void acquire() throws InterruptedException {
        acquireUninterruptibly(1);
    }

    public void acquire(int n) throws InterruptedException {
        acquireUninterruptibly(n);
    }

    public void acquireUninterruptibly() {
        acquireUninterruptibly(1);
    }

    public void acquireUninterruptibly(int n) {
        check(n);
        for (;;) {
            int now = permits.get();
            if (now >= n && permits.compareAndSet(now, now - n))
                return;
        }
    }

    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    public boolean tryAcquire(int n) {
        check(n);
        for (;;) {
            int now = permits.get();
            if (now < n)
                return false;
            if (permits.compareAndSet(now, now - n))
                return true;
        }
    }

    public boolean tryAcquire(long timeout, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, timeout, unit);
    }

    public boolean tryAcquire(int n, long timeout, TimeUnit unit) throws InterruptedException {
        if (Machine.choose())
            return tryAcquire(n);
        acquireUninterruptibly(n);
        return true;
    }

    public void release() {
        release(1);
    }

    public void release(int n) {
        check(n);
        if (permits.getAndAdd(n) + n < n)
            throw new Error("Maximum permit count exceeded");
    }

    public int availablePermits() {
        return permits.get();
    }

    public int drainPermits() {
        return permits.getAndSet(0);
    }

    protected void reducePermits(int n) {
        check(n);
        permits.getAndAdd(-n);
    }

    public boolean isFair() {
        return fair;
    }
}
