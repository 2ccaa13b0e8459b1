import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Store buffering with opaque accesses: both threads may read 0.
public class StoreBuffer {
    int x, y;
    static final VarHandle X, Y;
    static {
        try {
            X = MethodHandles.lookup().findVarHandle(StoreBuffer.class, "x", int.class);
            Y = MethodHandles.lookup().findVarHandle(StoreBuffer.class, "y", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        StoreBuffer s = new StoreBuffer();
        int[] r = new int[2];
        Thread t = new Thread(() -> {
            X.setOpaque(s, 1);
            r[0] = (int) Y.getOpaque(s);
        });
        Thread u = new Thread(() -> {
            Y.setOpaque(s, 1);
            r[1] = (int) X.getOpaque(s);
        });
        t.start();
        u.start();
        t.join();
        u.join();
        assert r[0] + r[1] > 0;
    }
}
