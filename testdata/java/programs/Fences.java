import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Store buffering with a full fence between the accesses: one thread reads 1.
public class Fences {
    static int x, y;
    static int a, b;
    static final VarHandle X, Y;
    static {
        try {
            X = MethodHandles.lookup().findStaticVarHandle(Fences.class, "x", int.class);
            Y = MethodHandles.lookup().findStaticVarHandle(Fences.class, "y", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> {
            X.setOpaque(1);
            VarHandle.fullFence();
            a = (int) Y.getOpaque();
        });
        Thread u = new Thread(() -> {
            Y.setOpaque(1);
            VarHandle.fullFence();
            b = (int) X.getOpaque();
        });
        t.start();
        u.start();
        t.join();
        u.join();
        assert a + b > 0;
    }
}
