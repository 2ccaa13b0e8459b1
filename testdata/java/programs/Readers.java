import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

// Readers see both writes of a writer, or none.
public class Readers {
    static int x, y;

    public static void main(String[] args) throws InterruptedException {
        ReadWriteLock l = new ReentrantReadWriteLock();
        Thread writer = new Thread(() -> {
            l.writeLock().lock();
            try {
                x++;
                y++;
            } finally {
                l.writeLock().unlock();
            }
        });
        Thread reader = new Thread(() -> {
            l.readLock().lock();
            try {
                assert x == y;
            } finally {
                l.readLock().unlock();
            }
        });
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
