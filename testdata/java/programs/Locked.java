// Three threads increment a plain field under a monitor, by a synchronized method that calls another one.
public class Locked {
    private int n;

    synchronized void add() {
        set(n + 1);
    }

    synchronized void set(int v) {
        n = v;
    }

    public static void main(String[] args) throws InterruptedException {
        Locked c = new Locked();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            threads[i] = new Thread(c::add);
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        synchronized (c) {
            assert c.n == 3;
        }
    }
}
