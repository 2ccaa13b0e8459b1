package java.util.concurrent.atomic;

import java.util.function.*;
import jdk.internal.misc.Unsafe;

/** A field by its place. The front end finds the place where the updater is made. */
public class AtomicLongFieldUpdater<T> {
    private static final Unsafe U = Unsafe.getUnsafe();
    private final long offset;

    private AtomicLongFieldUpdater(long offset) {
        this.offset = offset;
    }

    static <T> AtomicLongFieldUpdater<T> at(long offset) {
        return new AtomicLongFieldUpdater<>(offset);
    }

    public static native <U> AtomicLongFieldUpdater<U> newUpdater(Class<U> tclass, String field);

    public boolean compareAndSet(T obj, long expect, long update) {
        return U.compareAndSetLong(obj, offset, expect, update);
    }

    public boolean weakCompareAndSet(T obj, long expect, long update) {
        return U.weakCompareAndSetLong(obj, offset, expect, update);
    }

    public void set(T obj, long value) {
        U.putLongVolatile(obj, offset, value);
    }

    public void lazySet(T obj, long value) {
        U.putLongRelease(obj, offset, value);
    }

    @SuppressWarnings("unchecked")
    public long get(T obj) {
        return U.getLongVolatile(obj, offset);
    }

    @SuppressWarnings("unchecked")
    public long getAndSet(T obj, long value) {
        return U.getAndSetLong(obj, offset, value);
    }

    public long getAndAdd(T obj, long delta) {
        return U.getAndAddLong(obj, offset, delta);
    }

    public long addAndGet(T obj, long delta) {
        return getAndAdd(obj, delta) + delta;
    }

    public long getAndIncrement(T obj) {
        return getAndAdd(obj, 1);
    }

    public long getAndDecrement(T obj) {
        return getAndAdd(obj, -1);
    }

    public long incrementAndGet(T obj) {
        return getAndAdd(obj, 1) + 1;
    }

    public long decrementAndGet(T obj) {
        return getAndAdd(obj, -1) - 1;
    }

    public final long getAndUpdate(T obj, LongUnaryOperator f) {
        long prev, next;
        do {
            prev = get(obj);
            next = f.applyAsLong(prev);
        } while (!compareAndSet(obj, prev, next));
        return prev;
    }

    public final long updateAndGet(T obj, LongUnaryOperator f) {
        long prev, next;
        do {
            prev = get(obj);
            next = f.applyAsLong(prev);
        } while (!compareAndSet(obj, prev, next));
        return next;
    }
}
