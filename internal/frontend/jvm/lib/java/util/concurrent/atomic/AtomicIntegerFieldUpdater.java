package java.util.concurrent.atomic;

import java.util.function.*;
import jdk.internal.misc.Unsafe;

/** A field by its place. The front end finds the place where the updater is made. */
public class AtomicIntegerFieldUpdater<T> {
    private static final Unsafe U = Unsafe.getUnsafe();
    private final long offset;

    private AtomicIntegerFieldUpdater(long offset) {
        this.offset = offset;
    }

    static <T> AtomicIntegerFieldUpdater<T> at(long offset) {
        return new AtomicIntegerFieldUpdater<>(offset);
    }

    public static native <U> AtomicIntegerFieldUpdater<U> newUpdater(Class<U> tclass, String field);

    public boolean compareAndSet(T obj, int expect, int update) {
        return U.compareAndSetInt(obj, offset, expect, update);
    }

    public boolean weakCompareAndSet(T obj, int expect, int update) {
        return U.weakCompareAndSetInt(obj, offset, expect, update);
    }

    public void set(T obj, int value) {
        U.putIntVolatile(obj, offset, value);
    }

    public void lazySet(T obj, int value) {
        U.putIntRelease(obj, offset, value);
    }

    @SuppressWarnings("unchecked")
    public int get(T obj) {
        return U.getIntVolatile(obj, offset);
    }

    @SuppressWarnings("unchecked")
    public int getAndSet(T obj, int value) {
        return U.getAndSetInt(obj, offset, value);
    }

    public int getAndAdd(T obj, int delta) {
        return U.getAndAddInt(obj, offset, delta);
    }

    public int addAndGet(T obj, int delta) {
        return getAndAdd(obj, delta) + delta;
    }

    public int getAndIncrement(T obj) {
        return getAndAdd(obj, 1);
    }

    public int getAndDecrement(T obj) {
        return getAndAdd(obj, -1);
    }

    public int incrementAndGet(T obj) {
        return getAndAdd(obj, 1) + 1;
    }

    public int decrementAndGet(T obj) {
        return getAndAdd(obj, -1) - 1;
    }

    public final int getAndUpdate(T obj, IntUnaryOperator f) {
        int prev, next;
        do {
            prev = get(obj);
            next = f.applyAsInt(prev);
        } while (!compareAndSet(obj, prev, next));
        return prev;
    }

    public final int updateAndGet(T obj, IntUnaryOperator f) {
        int prev, next;
        do {
            prev = get(obj);
            next = f.applyAsInt(prev);
        } while (!compareAndSet(obj, prev, next));
        return next;
    }
}
