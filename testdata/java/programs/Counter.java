import java.util.concurrent.atomic.AtomicInteger;

// Three threads increment a counter, each by one read-modify-write.
public class Counter {
    public static void main(String[] args) throws InterruptedException {
        AtomicInteger n = new AtomicInteger();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(n::incrementAndGet);
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        assert n.get() == 3;
    }
}
