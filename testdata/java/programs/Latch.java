import java.util.concurrent.CountDownLatch;

// Two threads write and count down. Main waits for both and reads.
public class Latch {
    static int a, b;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        new Thread(() -> {
            a = 1;
            done.countDown();
        }).start();
        new Thread(() -> {
            b = 1;
            done.countDown();
        }).start();
        done.await();
        assert a + b == 2;
        System.out.printf("%d %d%n", a, b);
    }
}
