import java.util.concurrent.CountDownLatch;

// A latch that nobody opens.
public class Latched {
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        done.countDown();
        done.await();
    }
}
