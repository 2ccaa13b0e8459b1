package java.util.concurrent.atomic;

import java.util.function.*;
import jdk.internal.misc.Unsafe;

/** A field by its place. The front end finds the place where the updater is made. */
public class AtomicReferenceFieldUpdater<T, V> {
    private static final Unsafe U = Unsafe.getUnsafe();
    private final long offset;

    private AtomicReferenceFieldUpdater(long offset) {
        this.offset = offset;
    }

    static <T, V> AtomicReferenceFieldUpdater<T, V> at(long offset) {
        return new AtomicReferenceFieldUpdater<>(offset);
    }

    public static native <U, W> AtomicReferenceFieldUpdater<U, W> newUpdater(Class<U> tclass, Class<W> vclass, String field);

    public boolean compareAndSet(T obj, V expect, V update) {
        return U.compareAndSetReference(obj, offset, expect, update);
    }

    public boolean weakCompareAndSet(T obj, V expect, V update) {
        return U.weakCompareAndSetReference(obj, offset, expect, update);
    }

    public void set(T obj, V value) {
        U.putReferenceVolatile(obj, offset, value);
    }

    public void lazySet(T obj, V value) {
        U.putReferenceRelease(obj, offset, value);
    }

    @SuppressWarnings("unchecked")
    public V get(T obj) {
        return (V) U.getReferenceVolatile(obj, offset);
    }

    @SuppressWarnings("unchecked")
    public V getAndSet(T obj, V value) {
        return (V) U.getAndSetReference(obj, offset, value);
    }

    public final V getAndUpdate(T obj, UnaryOperator<V> f) {
        V prev, next;
        do {
            prev = get(obj);
            next = f.apply(prev);
        } while (!compareAndSet(obj, prev, next));
        return prev;
    }

    public final V updateAndGet(T obj, UnaryOperator<V> f) {
        V prev, next;
        do {
            prev = get(obj);
            next = f.apply(prev);
        } while (!compareAndSet(obj, prev, next));
        return next;
    }
}
