// A thread waits without a condition. If the other one notifies it before, it waits for ever.
public class Wakeup {
    public static void main(String[] args) throws InterruptedException {
        Object m = new Object();
        new Thread(() -> {
            synchronized (m) {
                m.notify();
            }
        }).start();
        synchronized (m) {
            m.wait();
        }
    }
}
