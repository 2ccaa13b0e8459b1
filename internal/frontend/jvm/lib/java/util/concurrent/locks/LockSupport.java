package java.util.concurrent.locks;

/** A permit per thread. park never returns without one, and a wait with a time limit may end at any moment. */
public class LockSupport {
    private LockSupport() {}

    public static void unpark(Thread t) {
        if (t != null)
            Machine.give(t);
    }

    public static void park() {
        Machine.take();
    }

    public static void park(Object blocker) {
        Machine.take();
    }

    private static void timed() {
        if (Machine.choose())
            Machine.take();
    }

    public static void parkNanos(long nanos) {
        timed();
    }

    public static void parkNanos(Object blocker, long nanos) {
        timed();
    }

    public static void parkUntil(long deadline) {
        timed();
    }

    public static void parkUntil(Object blocker, long deadline) {
        timed();
    }

    public static void setCurrentBlocker(Object blocker) {}
}
