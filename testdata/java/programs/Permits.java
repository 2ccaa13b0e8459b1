import java.util.concurrent.Semaphore;

// A semaphore with one permit is a lock.
public class Permits {
    static int n;

    public static void main(String[] args) throws InterruptedException {
        Semaphore s = new Semaphore(1);
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            threads[i] = new Thread(() -> {
                s.acquireUninterruptibly();
                n++;
                s.release();
            });
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        assert n == 3;
    }
}
