package java.lang;

/** What the stand-ins ask of the machine. The front end has the bodies (standin.go). */
public final class Machine {
    private Machine() {}

    /** Waits until the current thread has a permit, and takes it. */
    public static native void take();

    /** Gives a thread a permit, if it has none. */
    public static native void give(Thread t);

    /** The values of the current thread's ThreadLocals. */
    public static native Object locals();

    public static native void setLocals(Object o);

    /** A number of the current thread, from 1 on, to be compared with its own only. */
    public static native int self();

    /** Ends the exploration: ravel does not have this. */
    public static native void refuse(String what);

    /** false or true: both are explored. */
    public static native boolean choose();
}
