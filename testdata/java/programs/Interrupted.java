// A thread is interrupted before it sleeps, or after.
public class Interrupted {
    public static void main(String[] args) throws InterruptedException {
        boolean[] seen = new boolean[2];
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                seen[0] = true;
                seen[1] = Thread.currentThread().isInterrupted();
                Thread.currentThread().interrupt();
                assert Thread.interrupted();
            }
        });
        t.start();
        t.interrupt();
        t.join();
        assert !seen[1];
        assert seen[0] || t.isInterrupted();
    }
}
