// The same with a loop, as JLS 17.2.1 advises, and a monitor that is held twice.
public class Again {
    static boolean ready;

    static synchronized void await() throws InterruptedException {
        while (!ready) {
            Again.class.wait();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(() -> {
            synchronized (Again.class) {
                ready = true;
                Again.class.notify();
            }
        }).start();
        synchronized (Again.class) {
            await();
            assert ready;
        }
    }
}
