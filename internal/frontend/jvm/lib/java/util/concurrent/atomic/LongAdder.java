package java.util.concurrent.atomic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** One sum. The JDK has several where threads compete, so an addition does not acquire what others have released. */
public class LongAdder extends Number {
    private volatile long sum;
    private static final VarHandle SUM;

    static {
        try {
            SUM = MethodHandles.lookup().findVarHandle(LongAdder.class, "sum", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public LongAdder() {}

    public void add(long x) {
        SUM.getAndAddRelease(this, x);
    }

    public void increment() {
        add(1L);
    }

    public void decrement() {
        add(-1L);
    }

    public long sum() {
        return sum;
    }

    public void reset() {
        sum = 0L;
    }

    public long sumThenReset() {
        return (long) SUM.getAndSet(this, 0L);
    }

    public String toString() {
        return Long.toString(sum());
    }

    public long longValue() {
        return sum();
    }

    public int intValue() {
        return (int) sum();
    }

    public float floatValue() {
        return (float) sum();
    }

    public double doubleValue() {
        return (double) sum();
    }
}
