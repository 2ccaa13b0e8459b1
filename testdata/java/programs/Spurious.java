// A thread looks once whether it has to wait. JLS 17.2.1: an implementation may remove threads from wait sets without explicit instructions to do so.
public class Spurious {
    static boolean ready;

    public static void main(String[] args) throws InterruptedException {
        Object m = new Object();
        new Thread(() -> {
            synchronized (m) {
                ready = true;
                m.notify();
            }
        }).start();
        synchronized (m) {
            if (!ready) {
                m.wait();
            }
            assert ready;
        }
    }
}
