import java.util.concurrent.locks.LockSupport;

// The permit is given before the flag is set: the thread may park after that, for ever.
public class ParkedLate {
    static volatile boolean flag;

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> {
            while (!flag) {
                LockSupport.park();
            }
        });
        t.start();
        LockSupport.unpark(t);
        flag = true;
        t.join();
    }
}
