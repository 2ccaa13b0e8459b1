// A thread that is seen to have ended has done all that it did.
public class Alive {
    static boolean done;

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> done = true);
        assert !t.isAlive();
        t.start();
        if (!t.isAlive()) {
            assert done;
        }
        t.join();
        assert !t.isAlive();
    }
}
