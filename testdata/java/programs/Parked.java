import java.util.concurrent.locks.LockSupport;

// A thread parks until a flag is set. The permit may come before it parks.
public class Parked {
    static volatile boolean flag;

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> {
            while (!flag) {
                LockSupport.park();
            }
        });
        t.start();
        flag = true;
        LockSupport.unpark(t);
        t.join();
    }
}
