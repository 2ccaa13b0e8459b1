import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// A thread puts a letter into a box and raises the flag. Opaque accesses of the flag do not order the letter: the other thread may
// see the flag and an empty box. MailboxFixed.java has a release and an acquire access.
public class Mailbox {
    int letter;
    boolean flag;

    static final VarHandle FLAG;

    static {
        try {
            FLAG = MethodHandles.lookup().findVarHandle(Mailbox.class, "flag", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    void put(int v) {
        letter = v;
        FLAG.setOpaque(this, true);
    }

    public static void main(String[] args) {
        Mailbox box = new Mailbox();
        Thread writer = new Thread(() -> box.put(7));
        writer.start();
        if ((boolean) FLAG.getOpaque(box)) {
            assert box.letter == 7;
        }
    }
}
