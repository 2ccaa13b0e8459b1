import java.util.concurrent.locks.ReentrantLock;

// Two threads take two locks in opposite orders.
public class Dining {
    static final ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();

    static void eat(ReentrantLock first, ReentrantLock second) {
        first.lock();
        try {
            second.lock();
            second.unlock();
        } finally {
            first.unlock();
        }
    }

    public static void main(String[] args) {
        new Thread(() -> eat(a, b)).start();
        eat(b, a);
    }
}
