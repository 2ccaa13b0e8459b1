// Two threads increment a volatile variable by a read and a write: one increment may be lost.
public class Lost extends Thread {
    static volatile int n;

    @Override
    public void run() {
        n++;
    }

    public static void main(String[] args) throws InterruptedException {
        Lost a = new Lost(), b = new Lost();
        a.start();
        b.start();
        a.join();
        b.join();
        assert n == 2;
    }
}
