import java.util.concurrent.ConcurrentLinkedQueue;

// The JDK's own queue: of two elements, each is taken once, and those of one thread in order.
public class Queue {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentLinkedQueue<Integer> q = new ConcurrentLinkedQueue<>();
        Thread t = new Thread(() -> {
            q.offer(1);
            q.offer(2);
        });
        t.start();
        Integer a = q.poll();
        t.join();
        Integer b = q.poll();
        assert a == null ? b == 1 : a == 1 && b == 2;
    }
}
