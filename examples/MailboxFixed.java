import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Mailbox.java with a release write and an acquire read of the flag: a thread that sees the flag sees the letter.
public class MailboxFixed {
    int letter;
    boolean flag;

    static final VarHandle FLAG;

    static {
        try {
            FLAG = MethodHandles.lookup().findVarHandle(MailboxFixed.class, "flag", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    void put(int v) {
        letter = v;
        FLAG.setRelease(this, true);
    }

    public static void main(String[] args) {
        MailboxFixed box = new MailboxFixed();
        Thread writer = new Thread(() -> box.put(7));
        writer.start();
        if ((boolean) FLAG.getAcquire(box)) {
            assert box.letter == 7;
        }
    }
}
