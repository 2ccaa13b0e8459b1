import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

// A buffer of one element with a ReentrantLock and two conditions.
public class Bounded {
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition full = lock.newCondition(), empty = lock.newCondition();
    static int slot;

    static void put(int v) throws InterruptedException {
        lock.lock();
        try {
            while (slot != 0) {
                empty.await();
            }
            slot = v;
            full.signal();
        } finally {
            lock.unlock();
        }
    }

    static int take() throws InterruptedException {
        lock.lock();
        try {
            while (slot == 0) {
                full.await();
            }
            int v = slot;
            slot = 0;
            empty.signal();
            return v;
        } finally {
            lock.unlock();
        }
    }

    static class Producer implements Runnable {
        @Override
        public void run() {
            try {
                put(1);
                put(2);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new Producer()).start();
        int a = take(), b = take();
        assert a == 1 && b == 2;
    }
}
