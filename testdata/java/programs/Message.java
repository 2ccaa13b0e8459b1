import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Message passing by a release write and an acquire read: a reader that sees the flag sees the data.
public class Message {
    static int data, flag;
    static final VarHandle FLAG;
    static {
        try {
            FLAG = MethodHandles.lookup().findStaticVarHandle(Message.class, "flag", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static void main(String[] args) {
        new Thread(() -> {
            data = 42;
            FLAG.setRelease(1);
        }).start();
        if ((int) FLAG.getAcquire() == 1) {
            assert data == 42;
        }
    }
}
