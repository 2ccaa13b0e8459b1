// A producer and a consumer wait for each other with wait and notifyAll.
public class Buffer {
    private Integer slot;

    synchronized void put(int v) throws InterruptedException {
        while (slot != null) {
            wait();
        }
        slot = v;
        notifyAll();
    }

    synchronized int take() throws InterruptedException {
        while (slot == null) {
            wait();
        }
        int v = slot;
        slot = null;
        notifyAll();
        return v;
    }

    public static void main(String[] args) throws InterruptedException {
        Buffer b = new Buffer();
        Thread t = new Thread(() -> {
            try {
                b.put(1);
                b.put(2);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        t.start();
        int sum = b.take() * 10 + b.take();
        assert sum == 12;
    }
}
