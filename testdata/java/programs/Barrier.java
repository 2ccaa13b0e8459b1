import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

// What a thread wrote before a barrier is seen after it.
public class Barrier {
    static int x, y;

    public static void main(String[] args) throws InterruptedException, BrokenBarrierException {
        CyclicBarrier b = new CyclicBarrier(2);
        Thread t = new Thread(() -> {
            try {
                x = 1;
                b.await();
                assert y == 1;
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        });
        t.start();
        y = 1;
        b.await();
        assert x == 1;
        t.join();
    }
}
