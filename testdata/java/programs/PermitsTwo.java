import java.util.concurrent.Semaphore;

// A semaphore with two permits lets two threads in.
public class PermitsTwo {
    static int n;

    public static void main(String[] args) throws InterruptedException {
        Semaphore s = new Semaphore(2);
        Runnable r = () -> {
            s.acquireUninterruptibly();
            n++;
            s.release();
        };
        Thread t = new Thread(r), u = new Thread(r);
        t.start();
        u.start();
        t.join();
        u.join();
        assert n == 2;
    }
}
