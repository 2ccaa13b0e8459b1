package java.util.concurrent.locks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One word has the readers in its low half and the writer in its high half, as in the JDK's own code. A thread that waits has no place in a queue. */
public class ReentrantReadWriteLock implements ReadWriteLock, java.io.Serializable {
    final AtomicInteger state = new AtomicInteger();
    int again; // how often the writer has locked again
    private final ReadLock readerLock;
    private final WriteLock writerLock;
    private final boolean fair;

    public ReentrantReadWriteLock() {
        this(false);
    }

    public ReentrantReadWriteLock(boolean fair) {
        this.fair = fair;
        readerLock = new ReadLock(this);
        writerLock = new WriteLock(this);
    }

    public WriteLock writeLock() {
        return writerLock;
    }

    public ReadLock readLock() {
        return readerLock;
    }

    public final boolean isFair() {
        return fair;
    }

    public boolean isWriteLocked() {
        return state.get() >>> 16 != 0;
    }

    public boolean isWriteLockedByCurrentThread() {
        return owns(state.get());
    }

    public int getReadLockCount() {
        return state.get() & 0xffff;
    }

    static boolean owns(int now) {
        return now >>> 16 == Machine.self();
    }

    static boolean readable(int now) {
        return now >>> 16 == 0 || owns(now);
    }

    public static class ReadLock implements Lock, java.io.Serializable {
        private final ReentrantReadWriteLock all;

        protected ReadLock(ReentrantReadWriteLock lock) {
            all = lock;
        }

        public void lock() {
            for (;;) {
                int now = all.state.get();
                if (readable(now) && all.state.compareAndSet(now, now + 1))
                    return;
            }
        }

        public void lockInterruptibly() throws InterruptedException {
            lock();
        }

        public boolean tryLock() {
            for (;;) {
                int now = all.state.get();
                if (!readable(now))
                    return false;
                if (all.state.compareAndSet(now, now + 1))
                    return true;
            }
        }

        public boolean tryLock(long timeout, TimeUnit unit) throws InterruptedException {
            if (Machine.choose())
                return tryLock();
            lock();
            return true;
        }

        public void unlock() {
            if ((all.state.getAndAdd(-1) & 0xffff) == 0)
                throw new IllegalMonitorStateException("attempt to unlock read lock, not locked by current thread");
        }

        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }
    }

    public static class WriteLock implements Lock, java.io.Serializable {
        private final ReentrantReadWriteLock all;

        protected WriteLock(ReentrantReadWriteLock lock) {
            all = lock;
        }

        public void lock() {
            for (;;) {
                int now = all.state.get();
                if (owns(now)) {
                    all.again++;
                    return;
                }
                if (now == 0 && all.state.compareAndSet(0, Machine.self() << 16))
                    return;
            }
        }

        public void lockInterruptibly() throws InterruptedException {
            lock();
        }

        public boolean tryLock() {
            int now = all.state.get();
            if (owns(now)) {
                all.again++;
                return true;
            }
            return now == 0 && all.state.compareAndSet(0, Machine.self() << 16);
        }

        public boolean tryLock(long timeout, TimeUnit unit) throws InterruptedException {
            if (Machine.choose())
                return tryLock();
            lock();
            return true;
        }

        public void unlock() {
            if (!owns(all.state.get()))
                throw new IllegalMonitorStateException();
            if (all.again > 0)
                all.again--;
            else
                all.state.getAndAdd(-(Machine.self() << 16));
        }

        public boolean isHeldByCurrentThread() {
            return owns(all.state.get());
        }

        public Condition newCondition() {
            Machine.refuse("a condition of a write lock");
            return null;
        }
    }
}
